// `JSONValue` and `PercentEncoding` are ProviderKit's for providers; the host needs them in rooms below it, too.
@_exported public import TextFormats
