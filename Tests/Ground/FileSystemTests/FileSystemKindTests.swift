import FileSystem
import SystemPackage
import Testing

@Suite("kinds of file systems")
struct FileSystemKindTests {
    @Test(
        "remote file systems, and an unknown one",
        arguments: [
            (0xEF53, .local), (0x0102_1994, .local), (0x9123_683E, .local), (0x6969, .network("nfs")),
            (0xFF53_4D42, .network("cifs")), (0x6573_5546, .network("fuse")), (0x517B, .network("smb")),
            (0x0102_1997, .network("9p")), (0x786F_4256, .network("vboxsf")), (0x00C3_6400, .network("ceph")),
            (0x1234_5678, .unknown(0x1234_5678)),
        ] as [(UInt32, FileSystemKind)])
    func fileSystems(number: UInt32, kind: FileSystemKind) {
        #expect(FileSystemKind(number: number) == kind)
    }

    @Test("a missing folder is on the file system of its parent")
    func futureFolder() {
        #expect(FileSystemKind.of("/proc/nothing/here") == FileSystemKind.of("/proc"))
        #expect(FileSystemKind.of(FilePath("/")) == FileSystemKind.of(FilePath("/nothing/of/this/name")))
    }
}
