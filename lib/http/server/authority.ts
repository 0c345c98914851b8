import type { Socket } from 'node:net'
import { listensLocally } from '../../env/listening'

/** A name or an IPv4 address, or an IPv6 address in brackets, and maybe a port. Names of containers have underscores. */
const authorityPattern = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** Whether a text is a host with or without a port, as the `Host` header has it. */
export function isAuthority(text: string): boolean {
  return authorityPattern.test(text) && URL.canParse(`http://${text}`)
}

/**
 * The host and port for links where no public address is set: the `Host` header if it names the address at which this
 * connection reached the server, otherwise that address itself. A client could write any other name into the header.
 */
export function ownAuthority(host: string | undefined, socket: Socket): string {
  const address = unmapped(socket.localAddress ?? '127.0.0.1')
  if (host !== undefined) {
    const named = new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '')
    if (named === address || (listensLocally(address) && listensLocally(named))) return host
  }
  const shown = listensLocally(address) ? 'localhost' : address
  return `${shown.includes(':') ? `[${shown}]` : shown}:${socket.localPort}`
}

/** An IPv4 address of a socket that also takes IPv6 comes as `::ffff:10.0.0.1`. */
function unmapped(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
