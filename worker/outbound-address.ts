import { createSocket } from 'node:dgram'

const timeoutMs = 5_000

/**
 * Returns the address from which this machine reaches the host of a URL; null if unknown, for example for a database
 * behind a socket file. Sends nothing: it connects a UDP socket, which only selects a route.
 */
export async function outboundAddress(url: string | undefined): Promise<string | null> {
  const host = hostOf(url)
  if (host === null) return null
  const socket = createSocket('udp4')
  try {
    await new Promise<void>((resolve, reject) => {
      setTimeout(() => reject(new Error('The name was not resolved in time.')), timeoutMs).unref()
      socket.once('error', reject)
      socket.connect(9, host, () => resolve())
    })
    return socket.address().address
  } catch {
    return null
  } finally {
    socket.close()
  }
}

function hostOf(url: string | undefined): string | null {
  try {
    return new URL(url ?? '').hostname || null
  } catch {
    return null
  }
}
