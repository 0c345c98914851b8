import { createSocket } from 'node:dgram'

const patienceMs = 5_000

/**
 * The address from which this machine reaches that of a URL, as its routes say; null where that cannot be told, as of a
 * database behind a socket file. Nothing is sent: a UDP socket is connected, which only asks the routes.
 */
export async function outboundAddress(url: string | undefined): Promise<string | null> {
  const host = hostOf(url)
  if (host === null) return null
  const socket = createSocket('udp4')
  try {
    await new Promise<void>((resolve, reject) => {
      setTimeout(() => reject(new Error('no answer about a name')), patienceMs).unref()
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
