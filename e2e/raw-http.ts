import { connect, type Socket } from 'node:net'
import { theSystem } from './system/the-system'

/** Opens a TCP connection to the web server. */
export function openSocket(): Promise<Socket> {
  const { hostname, port } = new URL(theSystem().url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket))
    socket.once('error', reject)
  })
}

/**
 * Sends raw bytes without an HTTP library. Resolves with the response when the server closes the connection,
 * or when `enough` accepts the response so far.
 */
export async function sendRaw(
  bytes: string | Buffer,
  { enough = () => false, half = false }: { enough?: (text: string) => boolean; half?: boolean } = {},
): Promise<string> {
  const socket = await openSocket()
  return new Promise((resolve) => {
    let text = ''
    const done = () => {
      socket.destroy()
      resolve(text)
    }
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (enough(text)) done()
    })
    // A reset also closes the connection.
    socket.on('error', done)
    socket.on('close', done)
    socket.write(bytes)
    if (half) socket.end()
  })
}

/** The status of each response, in order. */
export function statusesOf(text: string): number[] {
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status))
}
