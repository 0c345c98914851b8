import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../contract/error-code'

interface Account {
  uid?: number
  gid?: number
}

const privateMode = 0o700
const sticky = 0o1000

/**
 * Creates a directory that no other account of this machine can enter, or closes an existing one. Missing directories above
 * it become as private.
 * @param owner the account that gets it; left out: the one of this process.
 * @throws as {@link closeDirectory}; also if this account may not close it.
 */
export async function makePrivateDirectory(path: string, owner: Account = {}): Promise<void> {
  await mkdir(path, { recursive: true, mode: privateMode })
  await close(path, owner).catch((error: unknown) => {
    throw isForbidden(error) ? new Error(explainForbidden(path), { cause: error }) : error
  })
}

/**
 * Takes the right to enter a directory from all other accounts of this machine. Then no path leads to the files below it,
 * whatever their modes are. Containers need no such right, because their mounts start below it. Succeeds if there
 * is no such directory. Leaves one that this account may not change and does not use.
 * @throws if another account owns it and could open it again, if a link leads to an open one, or if its disk keeps no modes.
 */
export async function closeDirectory(path: string): Promise<void> {
  await close(path, {}).catch((error: unknown) => {
    if (!isForbidden(error) && !['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error
  })
}

const isForbidden = (error: unknown) => ['EACCES', 'EPERM'].includes(errorCode(error) ?? '')

async function close(path: string, owner: Account): Promise<void> {
  const own = process.geteuid?.()
  // Windows has no modes.
  if (own === undefined) return
  const trusted = [own, 0, ...(owner.uid === undefined ? [] : [owner.uid])]
  const { directory, isLink } = await openTrusted(path, trusted)
  try {
    // The handle is that of the directory that was checked, even if the path leads elsewhere meanwhile.
    if ((await modeOf(directory)) !== privateMode) {
      // An admin may have moved a part of the data to another disk. What else is there is unknown.
      if (isLink) throw new Error(explainLink(path, await realpath(path)))
      await directory.chmod(privateMode)
    }
    if ((await modeOf(directory)) !== privateMode) throw new Error(explainDisk(path))
    if (owner.uid !== undefined && owner.gid !== undefined) await directory.chown(owner.uid, owner.gid)
  } finally {
    await directory.close()
  }
}

const modeOf = async (directory: FileHandle) => (await directory.stat()).mode & 0o777

/** Opens a directory, unless a stranger made it or the link that leads to it. */
async function openTrusted(path: string, trusted: readonly number[]) {
  const above = await stat(dirname(path))
  const othersCanWrite = (above.mode & 0o022) !== 0
  const requireTrusted = ({ uid }: { uid: number }) => {
    if (othersCanWrite && uid !== above.uid && !trusted.includes(uid))
      throw new Error((above.mode & sticky) === 0 ? explainWritable(path, uid) : explainStranger(path, uid))
  }
  const found = await lstat(path)
  requireTrusted(found)
  const isLink = found.isSymbolicLink()
  const noLink = isLink ? 0 : constants.O_NOFOLLOW
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | noLink)
  try {
    requireTrusted(await directory.stat())
    return { directory, isLink }
  } catch (error) {
    await directory.close()
    throw error
  }
}

/** In a directory such as /tmp, each account may only remove its own files. */
const explainStranger = (path: string, uid: number) =>
  `${path} belongs to another account (uid ${uid}), which may have made it to read what gpuq writes. Remove it.`

/** Its content may be what gpuq has stored under another account. */
const explainWritable = (path: string, uid: number) =>
  `${path} belongs to another account (uid ${uid}), and others can write to ${dirname(path)}, so they could replace it. Take that right from them: chmod go-w ${dirname(path)}`

const explainForbidden = (path: string) =>
  `gpuq's account may not close ${path} to other accounts of this machine. Make it the owner: chown -R ${process.geteuid?.()} ${path}`

const explainLink = (link: string, target: string) =>
  `${link} is a link to ${target}, which other accounts of this machine can enter. Let it lead to a directory that only gpuq's account can enter: chmod 700 ${target}`

const explainDisk = (path: string) =>
  `Other accounts of this machine can enter ${path}, because its disk keeps no permissions. Move it to a disk that does.`
