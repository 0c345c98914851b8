import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineSocket } from './engine-probe'

/** A proxy between the runtime under test and the engine that injects faults. */
export class EngineProxy {
  private readonly open = new Set<Socket>()
  private readonly lies: { request: RegExp; answer: string | null }[] = []
  private server: Server | undefined
  private directory = ''

  constructor(private readonly engine = engineSocket) {}

  get socketPath(): string {
    return join(this.directory, 'engine.sock')
  }

  async listen(): Promise<void> {
    if (this.directory === '') this.directory = await mkdtemp(join(tmpdir(), 'gpuq-proxy-'))
    const server = createServer((near) => this.join(near, connect(this.engine)))
    this.server = server
    await new Promise<void>((resolve) => server.listen(this.socketPath, resolve))
  }

  /** Simulates an engine that stops: breaks every connection and accepts no new one until `listen`. */
  async cut(): Promise<void> {
    const { server } = this
    const closed = new Promise((resolve) => server?.close(resolve))
    for (const socket of this.open) socket.destroy()
    await closed
  }

  /** Answers matching requests with `answer`, or never if it is null. */
  lie(request: RegExp, answer: string | null): void {
    this.lies.push({ request, answer })
  }

  async close(): Promise<void> {
    await this.cut()
    await rm(this.directory, { recursive: true, force: true })
  }

  private join(near: Socket, far: Socket): void {
    for (const socket of [near, far]) {
      this.open.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        this.open.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    far.pipe(near)
    near.on('data', (bytes) => {
      const lie = this.lies.find(({ request }) => request.test(bytes.toString('latin1')))
      if (lie === undefined) far.write(bytes)
      else if (lie.answer !== null) near.write(lie.answer)
    })
  }
}
