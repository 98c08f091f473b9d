import Foundation

/// A binary property list (`bplist00`). Its values are read when they are asked for, each by itself.
struct BinaryPropertyList: Sendable {
    /// With which each begins.
    static let magic = Array("bplist0".utf8)
    private static let headSize = 8
    private static let trailerSize = 32

    /// An object without what it refers to.
    enum Item {
        case value(PropertyList)
        case array([Int])
        case dictionary([(key: Int, value: Int)])
    }

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let table: Int
    private let count: Int
    /// The outermost object.
    let root: Int

    init(_ bytes: [UInt8]) throws(FormatFault) {
        guard bytes.starts(with: Self.magic) else { throw .foreign }
        let trailer = bytes.count - Self.trailerSize
        guard trailer > Self.headSize else { throw .truncated }
        self.bytes = bytes
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(bytes, trailer + 8, 8), let root = Self.number(bytes, trailer + 16, 8),
            let table = Self.number(bytes, trailer + 24, 8), root < count, table > Self.headSize, table <= trailer,
            count <= (trailer - table) / offsetSize
        else { throw .malformed }
        (self.count, self.root, self.table) = (count, root, table)
    }

    /// A big-endian number that fits an `Int`; nil for any other.
    private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
        Int(exactly: bytes[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// An object with everything in it.
    func value(of object: Int, _ budget: inout NodeBudget, depth: Int = 0) throws(FormatFault) -> PropertyList {
        guard depth < PropertyList.depthBound else { throw .tooDeep }
        switch try item(object, &budget) {
        case .value(let value): return value
        case .array(let members):
            var values: [PropertyList] = []
            values.reserveCapacity(members.count)
            for member in members { values.append(try value(of: member, &budget, depth: depth + 1)) }
            return .array(values)
        case .dictionary(let members):
            var values: [String: PropertyList] = [:]
            values.reserveCapacity(members.count)
            for member in members {
                values[try key(member.key, &budget)] = try value(of: member.value, &budget, depth: depth + 1)
            }
            return .dictionary(values)
        }
    }

    /// A dictionary's key.
    func key(_ object: Int, _ budget: inout NodeBudget) throws(FormatFault) -> String {
        guard case .value(.string(let key)) = try item(object, &budget) else { throw .malformed }
        return key
    }

    func item(_ object: Int, _ budget: inout NodeBudget) throws(FormatFault) -> Item {
        guard object < count, let place = Self.number(bytes, table + object * offsetSize, offsetSize),
            place >= Self.headSize, place < table
        else { throw .malformed }
        let marker = bytes[place]
        let low = Int(marker & 0x0F)
        try budget.take(1)
        switch marker >> 4 {
        case 0x0:
            switch low {
            case 0x0: return .value(.null)
            case 0x8: return .value(.boolean(false))
            case 0x9: return .value(.boolean(true))
            default: throw .malformed
            }
        case 0x1: return .value(try integer(place + 1, width: low))
        case 0x2: return .value(.real(try real(place + 1, width: low)))
        case 0x3:
            guard low == 3 else { throw .malformed }
            return .value(.date(Date(timeIntervalSinceReferenceDate: try real(place + 1, width: low))))
        case 0x8:
            let part = try slice(place + 1, low + 1)
            guard let number = UInt32(exactly: part.reduce(UInt64(0)) { $0 &<< 8 | UInt64($1) }), low < 8 else {
                throw .malformed
            }
            return .value(.uid(number))
        case 0x4, 0x5, 0x6, 0x7: return .value(try text(marker >> 4, at: place, low: low, &budget))
        case 0xA, 0xB, 0xC:
            let (start, length) = try extent(place, low)
            return .array(try references(start, length, &budget))
        case 0xD:
            let (start, length) = try extent(place, low)
            let (double, overflow) = length.multipliedReportingOverflow(by: 2)
            guard !overflow else { throw .truncated }
            let all = try references(start, double, &budget)
            return .dictionary(zip(all.prefix(length), all.dropFirst(length)).map { (key: $0, value: $1) })
        default: throw .malformed
        }
    }

    /// The bytes of a value, which end before the table.
    private func slice(_ start: Int, _ length: Int) throws(FormatFault) -> ArraySlice<UInt8> {
        guard start <= table, length <= table - start else { throw .truncated }
        return bytes[start..<start + length]
    }

    /// Where the content of an object begins, and how many members it has.
    private func extent(_ place: Int, _ low: Int) throws(FormatFault) -> (start: Int, length: Int) {
        guard low == 0xF else { return (place + 1, low) }
        guard let marker = try slice(place + 1, 1).first, marker >> 4 == 1, marker & 0x0F <= 3 else {
            throw .malformed
        }
        let width = 1 << Int(marker & 0x0F)
        let part = try slice(place + 2, width)
        guard let length = Int(exactly: part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) else { throw .truncated }
        return (place + 2 + width, length)
    }

    private func references(
        _ start: Int, _ length: Int, _ budget: inout NodeBudget
    ) throws(FormatFault) -> [Int] {
        let (size, overflow) = length.multipliedReportingOverflow(by: referenceSize)
        guard !overflow else { throw .truncated }
        let part = try slice(start, size)
        try budget.take(length)
        var found: [Int] = []
        found.reserveCapacity(length)
        for place in stride(from: part.startIndex, to: part.endIndex, by: referenceSize) {
            guard let number = Self.number(bytes, place, referenceSize) else { throw .malformed }
            found.append(number)
        }
        return found
    }

    private func integer(_ start: Int, width: Int) throws(FormatFault) -> PropertyList {
        guard width <= 4 else { throw .malformed }
        let part = try slice(start, 1 << width)
        // Only from eight bytes on they have a sign; sixteen are for what an unsigned number of eight needs.
        let low = part.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard width == 4 else { return .integer(width == 3 ? Int64(bitPattern: low) : Int64(low)) }
        let high = part.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard high == 0 else {
            guard high == .max, let number = Int64(exactly: Int64(bitPattern: low)), number < 0 else {
                throw .malformed
            }
            return .integer(number)
        }
        return Int64(exactly: low).map { .integer($0) } ?? .real(Double(low))
    }

    private func real(_ start: Int, width: Int) throws(FormatFault) -> Double {
        guard width == 2 || width == 3 else { throw .malformed }
        let bits = try slice(start, 1 << width).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return width == 2 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
    }

    private func text(
        _ kind: UInt8, at place: Int, low: Int, _ budget: inout NodeBudget
    ) throws(FormatFault) -> PropertyList {
        let (start, length) = try extent(place, low)
        let (double, overflow) = length.multipliedReportingOverflow(by: kind == 0x6 ? 2 : 1)
        guard !overflow else { throw .truncated }
        let part = try slice(start, double)
        try budget.take(double / 64)
        switch kind {
        case 0x4: return .data(Data(part))
        case 0x6:
            let units = stride(from: part.startIndex, to: part.endIndex, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            guard let text = String(validating: units, as: UTF16.self) else { throw .notText }
            return .string(text)
        default:
            guard let text = String(validating: part, as: UTF8.self) else { throw .notText }
            return .string(text)
        }
    }
}
