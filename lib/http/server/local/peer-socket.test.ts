import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findPeerSocket, holdsSocket } from './peer-socket'

/** A connection to this process over a loopback address; the two ends of it. */
async function connection(host: string, client = host): Promise<{ peer: Socket; accepted: Socket }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, host)
  await once(server, 'listening')
  const peer = connect({ port: (server.address() as AddressInfo).port, host: client, allowHalfOpen: true })
  const [accepted] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => {
    for (const socket of [peer, accepted]) socket.destroy()
    server.close()
  })
  return { peer, accepted }
}

describe('the socket of a client', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['127.0.0.1', '::ffff:127.0.0.1'],
  ])('the socket of a client that is connected to %s as %s is known with its user', async (host, client) => {
    const { accepted } = await connection(host, client)
    const found = findPeerSocket(accepted)
    expect(found).toMatchObject({ uid: process.getuid?.() })
    expect(holdsSocket([process.pid], found?.inode ?? '')).toBe(true)
    expect(holdsSocket([1_999_999_999], found?.inode ?? '')).toBe(false)
    expect(holdsSocket([process.pid], '1')).toBe(false)
  })

  it('the socket of a client that has stopped sending is not known: the kernel names root for it once it is closed', async () => {
    const { peer, accepted } = await connection('127.0.0.1')
    peer.end()
    accepted.resume()
    await once(accepted, 'end')
    expect(findPeerSocket(accepted)).toBeNull()
  })
})

describe('a table of connections', () => {
  const row = (local: string, remote: string, state: string, uid: number, inode: number) =>
    `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0 20 4 30 10 -1`
  const ends = {
    remoteAddress: '127.0.0.1',
    remotePort: 40_000,
    localAddress: '127.0.0.1',
    localPort: 10_000,
  }
  const client = '0100007F:9C40'
  const server = '0100007F:2710'
  const own = row(server, client, '01', 7, 12)
  const find = (tcp: string[], tcp6: string[] = [], ownInode = '12') => {
    const read = (file: string) => [' sl header', ...(file.endsWith('6') ? tcp6 : tcp), ''].join('\n')
    return findPeerSocket(ends, read, ownInode)
  }

  it('names the user of the row with both ends of the connection, seen from the client', () => {
    expect(find([own, row(client, server, '01', 1000, 34)])).toEqual({ uid: 1000, inode: '34' })
    const mapped = (word: string) => `0000000000000000FFFF0000${word}`
    expect(find([own], [row(mapped(client), mapped(server), '01', 1000, 34)])).toEqual({
      uid: 1000,
      inode: '34',
    })
  })

  it('names nobody once the server has lost the connection: another program may have the same port', () => {
    const later = row(client, server, '01', 1000, 34)
    expect(find([later])).toBeNull()
    expect(find([own, later], [], '13')).toBeNull()
  })

  it('names nobody for a closed socket, another state, no row, several rows or an unreadable table', () => {
    expect(find([own, row(client, server, '01', 0, 0)])).toBeNull()
    expect(find([own, row(client, server, '04', 0, 0)])).toBeNull()
    expect(find([own, row(client, server, '06', 0, 34)])).toBeNull()
    expect(find([own, row('0100007F:9C41', server, '01', 1000, 34)])).toBeNull()
    expect(find([own, row(client, '0100007F:2711', '01', 1000, 34)])).toBeNull()
    const twice = [own, row(client, server, '01', 1000, 34)]
    expect(
      find(
        twice,
        ['0000000000000000FFFF0000'].map((m) => row(m + client, m + server, '01', 7, 35)),
      ),
    ).toBeNull()
    expect(
      findPeerSocket(ends, () => {
        throw new Error('no /proc')
      }),
    ).toBeNull()
    expect(findPeerSocket({})).toBeNull()
  })
})
