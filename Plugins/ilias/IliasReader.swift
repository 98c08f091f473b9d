import ProviderHTTP

/// Reads a page tag by tag, whatever is between those that it knows.
struct IliasReader {
    /// The text of an element that is being read, to its end.
    private struct Capture {
        var element: String
        var depth = 0
        var bytes: [UInt8] = []
        var take: (inout IliasReader, inout IliasPage, String) -> Void
    }

    /// The element that is being read.
    private struct Element {
        var name: String
        var attributes: [String: String]
        var classes: Set<String>

        init(_ tag: HTMLCursor.Tag) {
            name = tag.name
            attributes = tag.attributes.mapValues { HTMLStripper.unescaped($0) }
            classes = Set((attributes["class"] ?? "").split(whereSeparator: \.isWhitespace).map(String.init))
        }

        subscript(name: String) -> String? { attributes[name] }

        func has(_ one: String...) -> Bool { one.contains(where: classes.contains) }

        var link: String? { attributes["href"] ?? attributes["data-action"] }
    }

    private static let attributes: Set = [
        "class", "id", "name", "href", "src", "alt", "value", "action", "data-list-item-id", "data-store-url",
        "data-action",
    ]
    private static let deliveredIcon = "delivered"
    private static let headings: Set = ["h1", "h2", "h3", "h4", "h5", "h6"]

    private var cursor: HTMLCursor
    private var capture: Capture?
    /// The bar at the top of the page, and how deep in it the reader is.
    private var bar: (element: String, depth: Int)?
    private var item: (value: IliasPage.Item, icon: String?, isListed: Bool)?
    private var group: IliasPage.Group?
    private var figure: IliasPage.Figure?
    /// The kind of the items of a block whose heading has their icon.
    private var blockType: String?
    /// What the next link is about.
    private var isInTab = false
    private var isInFooter = false

    init(_ page: [UInt8]) { cursor = HTMLCursor(page) }

    mutating func read(into page: inout IliasPage) {
        while let byte = cursor.byte {
            guard byte == UInt8(ascii: "<"), let tag = cursor.readTag(attributes: Self.attributes) else {
                capture?.bytes.append(byte)
                cursor.advance()
                continue
            }
            capture?.bytes.append(UInt8(ascii: " "))
            guard !tag.name.isEmpty else { continue }
            endCapture(at: tag.name, &page)
            let element = Element(tag)
            readBar(element, &page)
            readFrame(element, &page)
            readLink(element, &page)
            readFigure(element, &page)
            readItem(element, &page)
        }
        keep(&page)
    }

    // MARK: - The page

    /// To somebody who isn't logged in, the bar at the top offers a login.
    private mutating func readBar(_ element: Element, _ page: inout IliasPage) {
        guard var open = bar else {
            guard element.has("il-maincontrols-metabar") else { return }
            page.isIlias = true
            bar = (element.name, 1)
            return
        }
        if element.name == open.element { open.depth += 1 }
        if element.name == "/" + open.element { open.depth -= 1 }
        bar = open.depth > 0 ? open : nil
        if element.link?.contains("login.php") == true || element["id"] == "button_shib_login" {
            page.offersLogin = true
        }
    }

    private mutating func readFrame(_ element: Element, _ page: inout IliasPage) {
        if element.has("il-page-content-header"), page.title == nil {
            begin(element) { _, page, text in page.title = text }
        } else if element.has("alert-danger"), page.failure == nil {
            begin(element) { _, page, text in page.failure = text }
        } else if element.name == "li", let id = element["id"], id.hasPrefix("tab_") {
            page.hasTabs = true
            let isActive = element.has("active")
            if id == "tab_view_content", isActive { page.showsContents = true }
            isInTab = id == "tab_view_content" && !isActive
        } else if element.name == "form" && element["action"]?.lowercased().contains("registrationgui") == true
            || element["name"]?.hasPrefix("cmd[join") == true
        {
            page.offersRegistration = true
        } else if element["id"] == "current_perma_link" {
            page.target = element["value"].flatMap(page.address.resolving).flatMap { IliasTarget($0) }
        } else if element.has("il-footer-permanent-url") {
            isInFooter = true
        }
    }

    private mutating func readLink(_ element: Element, _ page: inout IliasPage) {
        guard let link = element.link, let address = page.address.resolving(link) else { return }
        if isInTab { page.contents = address }
        if isInFooter { page.target = IliasTarget(address) ?? page.target }
        (isInTab, isInFooter) = (false, false)
        if link.contains("crs_next_sess=1") || link.contains("crs_prev_sess=1") { page.hiddenSessions.append(address) }
        if element.has("ilc_flist_a_FileListItemLink") {
            begin(element) { _, page, text in page.files.append(.init(address: address, text: text)) }
        } else if element.name == "a", capture == nil, item == nil, address.origin != page.address.origin {
            begin(element) { _, page, text in page.links.append(.init(address: address, text: text)) }
        }
    }

    private mutating func readFigure(_ element: Element, _ page: inout IliasPage) {
        if element.name == "figure" {
            figure = .init()
        } else if element.name == "/figure" {
            if let figure, !figure.sources.isEmpty { page.figures.append(figure) }
            figure = nil
        } else if ["video", "audio", "source"].contains(element.name), let source = element["src"] {
            if let address = page.address.resolving(source) { figure?.sources.append(address) }
        } else if element.name == "figcaption", figure != nil {
            begin(element) { reader, _, text in reader.figure?.caption = text }
        }
    }

    // MARK: - Items

    private mutating func readItem(_ element: Element, _ page: inout IliasPage) {
        if element.has("ilContainerBlock") { beginBlock(element, &page) }
        if element.name == "div", element.has("ilContainerListItemOuter", "il-card", "il-std-item") {
            keep(&page)
            let value = IliasPage.Item(target: IliasTarget(type: nil, ref: 0), group: group)
            item = (value, nil, element.has("il-std-item"))
        }
        if let id = element["data-list-item-id"] ?? element["id"], id.hasPrefix("lg_div_") { name(by: id) }
        if element.name == "img" {
            readIcon(element)
        } else if Self.headings.contains(element.name), element.has("ilContainerBlockHeader") {
            begin(element) { reader, _, text in reader.group?.title = text }
        } else if element.name == "span", element.has("il_ItemProperty"), item?.value.property == nil {
            begin(element) { reader, _, text in
                reader.item?.value.property = text.filter { $0 != "\u{A0}" }
            }
        } else {
            readTitle(element, at: page.address)
        }
    }

    private mutating func beginBlock(_ element: Element, _ page: inout IliasPage) {
        keep(&page)
        blockType = nil
        group = element["data-store-url"]?.firstMatch(of: /cont_block_id=itgr_(\d+)/).flatMap { Int64($0.output.1) }
            .map { .init(ref: $0, title: "") }
    }

    /// `lg_div_12_pref_7` is the object 12, listed in 7. One that is only the condition for another has more in it.
    private mutating func name(by id: String) {
        guard let match = id.wholeMatch(of: /lg_div_(\d+)_pref_(-?\d+)/), let ref = Int64(match.output.1) else {
            item = nil
            return
        }
        item?.value.target.ref = ref
        item?.value.parent = Int64(match.output.2)
    }

    private mutating func readIcon(_ element: Element) {
        guard let type = Self.type(ofIcon: element) else { return }
        if item == nil {
            blockType = blockType ?? type
        } else if item?.icon == nil, element.has("ilListItemIcon", "icon") {
            item?.icon = type
        }
    }

    /// A title is in an element with a class, and the link is that element or in it.
    private mutating func readTitle(_ element: Element, at page: WebAddress) {
        guard let value = item?.value else { return }
        let isLink = ["a", "button"].contains(element.name)
        let isTitle = element.has("il_ContainerItemTitle", "card-title", "il-item-title")
        let isWithin = isLink && capture != nil && value.title.isEmpty
        guard isTitle || isWithin, !value.isLinked else { return }
        if isLink {
            item?.value.isLinked = true
            item?.value.address = element["href"].flatMap(page.resolving)
        }
        begin(element) { reader, _, text in reader.item?.value.title = text }
    }

    /// The item that was read last is complete.
    private mutating func keep(_ page: inout IliasPage) {
        defer { item = nil }
        guard let (value, icon, isListed) = item else { return }
        var item = value
        let linked = item.address.flatMap { IliasTarget($0) }
        item.isReference = item.target.ref > 0 && linked.map { $0.ref != item.target.ref } ?? false
        if item.target.ref == 0 { item.target.ref = linked?.ref ?? 0 }
        let isDelivered = icon == Self.deliveredIcon && item.property?.wholeMatch(of: /\w{1,8}/) != nil
        item.target.type = linked?.type ?? (isDelivered ? "file" : icon == Self.deliveredIcon ? nil : icon ?? blockType)
        guard item.target.ref > 0 else { return }
        if isListed { page.listed.append(item) } else { page.items.append(item) }
    }

    /// The type in the name of an icon: `icon_fold.svg`. Files have one that the site delivers, others may.
    private static func type(ofIcon element: Element) -> String? {
        let source = element["src"] ?? ""
        if let match = source.firstMatch(of: /icon_([a-z]+)[^\/]*\.(?:svg|png|gif)/) { return String(match.output.1) }
        if source.contains("/deliver.php/") || source.lowercased().contains("/filedelivery/") { return deliveredIcon }
        return element["alt"]?.lowercased().contains("opencast") == true ? "xoct" : nil
    }

    // MARK: - Texts

    private mutating func begin(
        _ element: Element, take: @escaping (inout IliasReader, inout IliasPage, String) -> Void
    ) {
        capture = Capture(element: element.name, take: take)
    }

    private mutating func endCapture(at name: String, _ page: inout IliasPage) {
        guard let open = capture else { return }
        if name == open.element { capture?.depth += 1 }
        guard name == "/" + open.element else { return }
        guard open.depth == 0 else {
            capture?.depth -= 1
            return
        }
        capture = nil
        let text = HTMLStripper.text(of: String(decoding: open.bytes, as: UTF8.self), bound: 1000)
        open.take(&self, &page, text)
    }
}
