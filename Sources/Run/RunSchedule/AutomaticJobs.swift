package import Foundation

/// The number of transfers at a time that a link takes, for a run whose number isn't given.
///
/// It begins with a few and doubles each second while the sum of the transfers grows by half. Then it tries other
/// numbers, by turns half as many more and a quarter fewer, and keeps one that is worth it. One more of n brings at
/// most 1/n, which noise hides: so the steps are large, and each is compared with the seconds just before. If the sum
/// changes by itself, it begins to double again.
package struct AutomaticJobs: Sendable {
    /// With one, a link would be idle between two files.
    private static let least = 2
    private static let most = 16
    /// Growth of the sum by which doubling goes on, and by which the last doubling is kept.
    private static let (goesOn, isKept) = (1.5, 1.25)
    /// Seconds without a try, which double as long as tries are in vain.
    private static let holds = 10...160
    /// Seconds of a try that aren't measured, and those that are.
    private static let (settling, measuring) = (2, 4)
    /// Seconds before a try that it is compared with.
    private static let memory = 8
    /// The share of its sum that a link loses or gains by itself before doubling begins again.
    private static let shift = 0.65

    private enum Phase {
        /// Doubling: the sum before the last one, and the number before it.
        case doubling(from: Int, before: Double?, isSecondLook: Bool)
        case holding(seconds: Int)
        /// Another number is tried.
        case trying(from: Int, before: Double, settles: Int, rates: [Double])
    }

    /// The number now.
    package private(set) var count: Int
    private var phase: Phase
    /// The beginning of the second that is being measured, with the bytes by then; nil before the first one.
    private var second: (start: Date, received: Int64)?
    /// Bytes per second of the last seconds at this number.
    private var rates: [Double] = []
    /// The median of the first ones; nil until it is known.
    private var level: Double?
    private var hold = holds.lowerBound
    private var triesMore = true

    /// - Parameter first: the number at the beginning.
    package init(from first: Int) {
        count = first
        phase = .doubling(from: first, before: nil, isSecondLook: false)
    }

    /// The progress of the run; to be told twice a second. Returns the new number if it changes.
    ///
    /// - Parameters:
    ///   - received: the bytes that have come from the network in this run.
    ///   - active: the transfers now. With fewer than ``count`` something else is the limit, and with more the number
    ///     hasn't come down yet: such seconds say nothing.
    ///   - isLimited: whether there is a limit on the bandwidth.
    package mutating func note(received: Int64, active: Int, isLimited: Bool, at now: Date) -> Int? {
        guard active == count, !isLimited else {
            defer { second = nil }
            // Not for a moment between two files.
            guard active < count || isLimited, second == nil, case .trying(let from, _, _, _) = phase else {
                return nil
            }
            return change(to: from, .holding(seconds: hold))
        }
        guard let second else {
            self.second = (now, received)
            return nil
        }
        let seconds = now.timeIntervalSince(second.start)
        guard seconds >= 0.95 else { return nil }
        self.second = (now, received)
        // After a sleep of the machine.
        guard seconds < 3 else { return nil }
        return measured(Double(received - second.received) / seconds)
    }

    private mutating func measured(_ rate: Double) -> Int? {
        switch phase {
        case .doubling(let from, let before, let isSecondLook):
            return doubled(rate, from: from, before: before, isSecondLook: isSecondLook)
        case .holding(let seconds):
            rates = (rates + [rate]).suffix(Self.memory)
            if let change = afterShift() { return change }
            phase = .holding(seconds: seconds - 1)
            guard seconds <= 1, rates.count >= Self.memory / 2 else { return nil }
            return tryAnother()
        case .trying(let from, let before, let settles, var rates):
            guard settles == 0 else {
                phase = .trying(from: from, before: before, settles: settles - 1, rates: [])
                return nil
            }
            rates.append(rate)
            phase = .trying(from: from, before: before, settles: 0, rates: rates)
            guard rates.count == Self.measuring else { return nil }
            return tried(from: from, before: before, rates)
        }
    }

    private mutating func doubled(_ rate: Double, from: Int, before: Double?, isSecondLook: Bool) -> Int? {
        if before.map({ rate >= $0 * Self.goesOn }) ?? true {
            guard count < Self.most else { return change(to: count, .holding(seconds: hold)) }
            return change(to: count * 2, .doubling(from: count, before: rate, isSecondLook: false))
        }
        guard isSecondLook else {
            // New connections need a moment.
            phase = .doubling(from: from, before: before, isSecondLook: true)
            return nil
        }
        let isWorthIt = before.map { rate >= $0 * Self.isKept } ?? true
        return change(to: isWorthIt ? count : from, .holding(seconds: hold))
    }

    /// The sum has changed by itself.
    private mutating func afterShift() -> Int? {
        guard rates.count == Self.memory else { return nil }
        let now = Self.median(rates)
        guard let level else {
            level = now
            return nil
        }
        guard now < level * Self.shift || now > level / Self.shift else { return nil }
        self.level = now
        hold = Self.holds.lowerBound
        triesMore = true
        guard count < Self.most else { return nil }
        return change(to: count * 2, .doubling(from: count, before: now, isSecondLook: false))
    }

    private mutating func tryAnother() -> Int? {
        let before = Self.median(rates)
        let other = triesMore ? max(count + 1, count * 3 / 2) : count * 3 / 4
        guard Self.bounded(other) != count else {
            triesMore.toggle()
            phase = .holding(seconds: hold)
            return nil
        }
        return change(to: other, .trying(from: count, before: before, settles: Self.settling, rates: []))
    }

    private mutating func tried(from old: Int, before: Double, _ measured: [Double]) -> Int? {
        let gain = Self.median(measured) / max(1, before) - 1
        let isMore = count > old
        let isKept = isMore ? gain >= max(0.05, 0.35 * (Double(count) / Double(old) - 1)) : gain >= -0.05
        guard isKept else {
            hold = min(hold * 2, Self.holds.upperBound)
            triesMore = !isMore
            return change(to: old, .holding(seconds: hold))
        }
        hold = Self.holds.lowerBound
        triesMore = true
        // What gains is tried again at once.
        phase = .holding(seconds: isMore ? 1 : hold)
        rates = measured
        return nil
    }

    private static func bounded(_ number: Int) -> Int { min(most, max(least, number)) }

    private mutating func change(to number: Int, _ next: Phase) -> Int? {
        phase = next
        let number = Self.bounded(number)
        guard number != count else { return nil }
        count = number
        rates = []
        level = nil
        second = nil
        return number
    }

    private static func median(_ numbers: [Double]) -> Double {
        let sorted = numbers.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
