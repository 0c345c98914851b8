import { parseAddress } from './address-ranges'

/** Whether this HOST means every address of the machine. */
export function listensEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** Whether only programs on this machine reach a server on this HOST. */
export function listensLocally(host: string): boolean {
  return host === 'localhost' || parseAddress(host)?.range() === 'loopback'
}

/** The HTTP address of a host and port. */
export function httpAddress(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
