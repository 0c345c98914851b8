import { networkInterfaces } from 'node:os'
import { httpAddress, listensEverywhere, listensLocally } from '@/lib/env/listening'

type Interfaces = ReturnType<typeof networkInterfaces>

/** Where other machines reach a server on this HOST. Empty if they do not. */
export function networkAddresses(
  host: string,
  port: number,
  interfaces: Interfaces = networkInterfaces(),
): string[] {
  if (listensLocally(host)) return []
  if (!listensEverywhere(host)) return [httpAddress(host, port)]
  return Object.values(interfaces)
    .flatMap((addresses = []) => addresses)
    .filter(({ internal, family, scopeid }) => !internal && !scopeid && (family === 'IPv4' || host === '::'))
    .map(({ address }) => httpAddress(address, port))
}

/** What the network sees of this server; empty if it listens on this machine only. */
export function describeNetwork(addresses: readonly string[], publicUrl: string): string[] {
  if (addresses.length === 0) return []
  const lines = [`  Other machines reach it at ${addresses.join(', ')}`]
  if (!publicUrl.startsWith('https:')) {
    lines.push(
      '  ! These addresses use plain HTTP: the network can read passwords, tokens and results. Put a TLS proxy in front',
      '    and set GPUQ_URL to its https address (docs/admin-guide.md), or leave HOST unset.',
    )
  }
  return lines
}
