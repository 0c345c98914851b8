import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { endianness } from 'node:os'
import { errorCode } from '../../../contract/error-code'
import { parseAddress } from '../../../env/address-ranges'

/** The two ends of a connection, as a server sees them. */
export interface Connection {
  remoteAddress?: string | undefined
  remotePort?: number | undefined
  localAddress?: string | undefined
  localPort?: number | undefined
  /** Node's handle of the connection. */
  _handle?: { fd?: number | undefined } | null | undefined
}

/** The client's socket of a connection within this machine. */
export interface PeerSocket {
  /** The Unix user who created it. */
  uid: number
  inode: string
}

const tables = ['/proc/net/tcp', '/proc/net/tcp6']
const established = '01'
/** A socket that its process has closed. The kernel names root as its user. */
const noInode = '0'

const readProc = (file: string) => readFileSync(file, 'latin1')

/**
 * Finds the client's socket in the kernel's tables; null: it cannot be told, also outside Linux. Only an open socket counts:
 * of a closed one the kernel no longer knows the user. The server's own socket is looked up after it: while that one is open, nobody
 * else can have a connection with the same two ends.
 */
export function findPeerSocket(
  connection: Connection,
  readTable: (file: string) => string = readProc,
  ownInode: string | null = inodeOf(connection),
): PeerSocket | null {
  const { remoteAddress, remotePort, localAddress, localPort } = connection
  const [peers, owns] = [encodings(remoteAddress, remotePort), encodings(localAddress, localPort)]
  try {
    const [peer, ...others] = findSockets(readTable, peers, owns)
    const [own] = findSockets(readTable, owns, peers)
    const isOne = others.length === 0 && own !== undefined && own.inode === ownInode
    return peer && isOne && Number.isInteger(peer.uid) && peer.inode !== noInode ? peer : null
  } catch {
    return null
  }
}

/** The established sockets between two ends. */
function findSockets(readTable: (file: string) => string, from: string[], to: string[]): PeerSocket[] {
  return tables.flatMap((file) =>
    readTable(file)
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local = '', remote = '', state]) => {
        return state === established && from.includes(local) && to.includes(remote)
      })
      .map((row) => ({ uid: Number(row[7]), inode: row[9] ?? noInode })),
  )
}

function inodeOf({ _handle: handle }: Connection): string | null {
  const link = typeof handle?.fd === 'number' ? linkOf(`/proc/self/fd/${handle.fd}`) : ''
  return /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? null
}

/** How the tables may write an address: a socket for IPv6 also reaches IPv4. */
function encodings(address = '', port = 0): string[] {
  const parsed = parseAddress(address.replace(/^::ffff:(?=\d+\.)/i, ''))
  if (parsed === null) return []
  const bytes = parsed.toByteArray()
  const forms = bytes.length === 4 ? [bytes, [...Array(10).fill(0), 255, 255, ...bytes]] : [bytes]
  const shown = port.toString(16).toUpperCase().padStart(4, '0')
  return forms.map((form) => `${encodeWords(Buffer.from(form))}:${shown}`)
}

/** Each four bytes are a number in the byte order of the machine. */
function encodeWords(bytes: Buffer): string {
  const words = Buffer.from(bytes)
  return (endianness() === 'LE' ? words.swap32() : words).toString('hex').toUpperCase()
}

/** Whether one of the processes holds a socket. True if that cannot be told. */
export function holdsSocket(pids: readonly number[], inode: string): boolean {
  return pids.some((pid) => {
    try {
      return readdirSync(`/proc/${pid}/fd`).some(
        (name) => linkOf(`/proc/${pid}/fd/${name}`) === `socket:[${inode}]`,
      )
    } catch (error) {
      // A process that has ended holds nothing.
      return pid === process.pid || !['ENOENT', 'ESRCH'].includes(errorCode(error) ?? '')
    }
  })
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // It was closed in the meantime.
    return ''
  }
}

/**
 * The processes of this gpuq: this one, the supervisor that started it, and what that has started.
 * @throws if the system does not tell what the supervisor has started.
 */
export function ownProcesses(): number[] {
  // Without a supervisor, the parent is a shell, which starts programs of the user too.
  if (process.channel === undefined) return [process.pid]
  const { ppid } = process
  const children = readProc(`/proc/${ppid}/task/${ppid}/children`)
  return [process.pid, ppid, ...children.split(' ').filter(Boolean).map(Number)]
}
