/// A value in a record of a list.
package enum FieldValue: Sendable, Equatable {
    case text(String)
    /// Without a fraction, and within 64 bits.
    case integer(Int64)
    /// Any other finite number.
    case real(Double)
    case truth(Bool)
    case null
    /// A list or an object, which isn't read.
    case composite

    /// The text, of a text only.
    package var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The integer, of an integer only.
    package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// The number, of an integer or a real number.
    package var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }
}
