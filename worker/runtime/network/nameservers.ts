import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'

/** The resolver of systemd on the host, and the file with the servers that it asks, which engines read instead. */
const systemdStub = '127.0.0.53'
const systemdFile = '/run/systemd/resolve/resolv.conf'

/** The IPv4 name servers of this host outside the host itself. The engine asks those on the host from the host. */
export async function readNameservers(): Promise<string[]> {
  const own = parseNameservers(await readOrEmpty('/etc/resolv.conf'))
  const all = own.includes(systemdStub) ? [...own, ...parseNameservers(await readOrEmpty(systemdFile))] : own
  return [...new Set(all)].filter((address) => isIPv4(address) && !address.startsWith('127.'))
}

/** The addresses in a file such as /etc/resolv.conf. */
export function parseNameservers(text: string): string[] {
  return [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address)
}

async function readOrEmpty(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
