import ArgumentParser

/// Options that are settings: ``SettingTable`` has their names and help, and ``SettingLayers`` gets their texts.
protocol SettingOptions: ParsableArguments {}

extension SettingOptions {
    /// The given texts, by the names of their settings. Read by reflection, so that none can be forgotten.
    var texts: [String: [String]] {
        var texts: [String: [String]] = [:]
        for child in Mirror(reflecting: self).children {
            guard let wrapper = child.value as? any SettingWrapper, let label = child.label else { continue }
            let given = wrapper.texts
            if !given.isEmpty { texts[Self.name(of: label.drop { $0 == "_" })] = given }
        }
        return texts
    }

    /// `maxWait` → `max-wait`.
    private static func name(of property: Substring) -> String {
        property.reduce(into: "") { name, letter in name += letter.isUppercase ? "-\(letter.lowercased())" : "\(letter)"
        }
    }
}

/// Holds the text of an option.
private protocol SettingWrapper {
    var texts: [String] { get }
}

extension Option: SettingWrapper {
    fileprivate var texts: [String] {
        switch wrappedValue {
        case let text as String: [text]
        case let texts as [String]: texts
        default: []
        }
    }
}

extension Flag: SettingWrapper {
    fileprivate var texts: [String] {
        switch wrappedValue {
        // A flag that can't be inverted is absent unless it is given.
        case let flag as Bool where Value.self == Bool.self: flag ? ["true"] : []
        case let flag as Bool: ["\(flag)"]
        default: []
        }
    }
}

extension Option where Value == String? {
    init<T>(_ key: KeyPath<SettingTable, SettingKey<T>>, completion: CompletionKind? = nil) {
        let key = SettingTable.shared[keyPath: key]
        self.init(name: key.optionName, help: key.optionHelp, completion: completion)
    }
}

extension Option where Value == [String] {
    /// The option of a setting that takes several values.
    init<T>(
        wrappedValue: [String], _ key: KeyPath<SettingTable, SettingKey<[T]>>, completion: CompletionKind? = nil
    ) {
        let key = SettingTable.shared[keyPath: key]
        self.init(
            wrappedValue: wrappedValue, name: key.optionName, parsing: .singleValue, help: key.optionHelp,
            completion: completion)
    }
}

extension Flag where Value == Bool? {
    /// The option of a flag, and its opposite.
    init<T>(_ key: KeyPath<SettingTable, SettingKey<T>>) {
        let key = SettingTable.shared[keyPath: key]
        self.init(name: key.optionName, inversion: .prefixedNo, help: key.optionHelp)
    }
}

extension Flag where Value == Bool {
    /// The option of a flag that has no opposite.
    init(wrappedValue: Bool, _ key: KeyPath<SettingTable, SettingKey<Bool>>) {
        let key = SettingTable.shared[keyPath: key]
        self.init(wrappedValue: wrappedValue, name: key.optionName, help: key.optionHelp)
    }
}

extension SettingKey {
    fileprivate var optionName: NameSpecification {
        guard let short, let letter = short.first else { return .customLong(name) }
        let isLetter = short.count == 1
        return [isLetter ? .customShort(letter) : .customLong(short, withSingleDash: true), .customLong(name)]
    }

    fileprivate var optionHelp: ArgumentHelp {
        let standard = standard as? Bool
        let text = standard.map { $0 ? "--\(name)" : "--no-\(name)" } ?? SettingFormat.written(self.standard)
        return ArgumentHelp("\(help.replacing("{standard}", with: text))", valueName: form.valueName)
    }
}
