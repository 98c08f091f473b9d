// `PercentEncoding`, which providers use by ProviderKit's name: it is on the ground, since the host needs it, too.
@_exported public import TextFormats
