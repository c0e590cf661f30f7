import { statfs } from 'node:fs/promises'
import type { Server } from 'node:net'

/**
 * File systems that only one kernel uses at a time, by the numbers in statfs(2): ext2 to ext4, XFS, Btrfs, ZFS, F2FS,
 * bcachefs, JFS, ReiserFS, NILFS, tmpfs, ramfs, overlayfs, eCryptfs, AUFS.
 */
const OF_ONE_KERNEL = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x3153464a, 0x52654973, 0x3434, 0x01021994,
  0x858458f6, 0x794c7630, 0xf15f, 0x61756673,
])

/**
 * Returns whether all processes that see the directory run on this machine's kernel, so that the process of a socket
 * that refuses connections has ended. On NFS, 9p, virtiofs and other FUSE mounts a socket of another kernel refuses
 * connections too while its process lives. Returns true on systems other than Linux, which do not tell. Returns false
 * if the file system cannot be determined.
 */
export async function areSocketsConclusive(directory: string): Promise<boolean> {
  if (process.platform !== 'linux') return true
  const found = await statfs(directory).catch(() => undefined)
  return found !== undefined && OF_ONE_KERNEL.has(found.type)
}

/** Listens at a path. Returns the error if that fails, else undefined. */
export function listenAt(server: Server, address: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen(address, () => {
      server.off('error', resolve)
      resolve(undefined)
    })
  })
}
