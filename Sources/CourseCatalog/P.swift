/// x
package enum Placeholder {}
