public import ProviderKit
// `XMLElement` is ProviderHTTP's for providers; `migrate` reads XML, too.
@_exported public import XMLSource

extension XMLElement: PrintsRedacted {}
