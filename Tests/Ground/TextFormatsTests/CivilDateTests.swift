import Testing

@testable import TextFormats

@Suite("dates of the calendar")
struct CivilDateTests {
    @Test("every day follows the one before it, for 800 years around 1970")
    func days() throws {
        var last = CivilDate(daysSince1970: -146_098)
        for number in -146_097...146_097 {
            let date = CivilDate(daysSince1970: number)
            #expect(date.daysSince1970 == number)
            let next =
                CivilDate(year: last.year, month: last.month, day: last.day + 1)
                ?? CivilDate(year: last.year, month: last.month + 1, day: 1)
                ?? CivilDate(year: last.year + 1, month: 1, day: 1)
            #expect(next == date)
            last = date
        }
    }

    @Test(
        "days that no calendar has are refused",
        arguments: [(2026, 2, 29), (1900, 2, 29), (2026, 4, 31), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0)])
    func none(year: Int, month: Int, day: Int) { #expect(CivilDate(year: year, month: month, day: day) == nil) }

    @Test("a leap day exists in the right years and centuries")
    func leapDays() {
        #expect(CivilDate(year: 2000, month: 2, day: 29)?.daysSince1970 == 11_016)
        #expect(CivilDate(year: 2024, month: 2, day: 29)?.daysSince1970 == 19_782)
    }
}
