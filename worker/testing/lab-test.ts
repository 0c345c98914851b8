import { test } from 'vitest'
import { EngineGate } from './engine-gate'
import { Lab, type LabOptions } from './lab'
import { PrivateEngine, type PrivateEngineOptions } from './private-engine'
import { ProvisionedLab } from './provisioned-lab'
import type { WorkerOptions, WorkerProcess } from './worker-process'

type Undo = () => Promise<unknown>

export interface GatedLab {
  lab: Lab
  gate: EngineGate
  worker: WorkerProcess
}

export interface LabFixtures {
  /** Registers a function to run after the test, in reverse order. */
  afterwards: (undo: Undo) => void
  /** Opens a lab that is closed after the test: idle workers of earlier tests slow the later ones down. */
  openLab: (options?: LabOptions) => Promise<Lab>
  /** A lab whose one worker, "a", reaches the engine through a gate. */
  openGatedLab: (options?: Partial<WorkerOptions>) => Promise<GatedLab>
  /** A lab whose one worker, "a", runs on a private engine. */
  openLabOnEngine: (options: PrivateEngineOptions) => Promise<{ lab: Lab; own: PrivateEngine }>
  openProvisionedLab: (up?: string) => Promise<ProvisionedLab>
  openQueuedResourcesLab: () => Promise<ProvisionedLab>
  /** A private engine that is removed after the test, and after the labs that were opened later. */
  startEngine: (options: PrivateEngineOptions) => Promise<PrivateEngine>
}

/** `it` for tests that open labs. */
export const it = test.extend<LabFixtures>({
  afterwards: async ({ task: _ }, use) => {
    const undos: Undo[] = []
    await use((undo) => undos.unshift(undo))
    for (const undo of undos) await undo()
  },
  openLab: ({ afterwards }, use) =>
    use(async (options) => {
      const lab = await Lab.open(options)
      afterwards(() => lab.close())
      return lab
    }),
  openGatedLab: ({ openLab }, use) =>
    use(async (options) => {
      const lab = await openLab()
      const gate = await EngineGate.open()
      lab.afterwards(() => gate.close())
      const worker = await lab.startWorker({ node: 'a', engineSocket: gate.socketPath, ...options })
      return { lab, gate, worker }
    }),
  openLabOnEngine: ({ startEngine, openLab }, use) =>
    use(async (options) => {
      const own = await startEngine(options)
      const lab = await openLab({ engine: own.engine })
      await lab.startWorker({ node: 'a', gpus: 2, engineSocket: own.socketPath })
      return { lab, own }
    }),
  openProvisionedLab: ({ afterwards }, use) =>
    use(async (up) => {
      const provisioned = await ProvisionedLab.open(up)
      afterwards(() => provisioned.lab.close())
      return provisioned
    }),
  openQueuedResourcesLab: ({ afterwards }, use) =>
    use(async () => {
      const provisioned = await ProvisionedLab.openQueuedResources()
      afterwards(() => provisioned.lab.close())
      return provisioned
    }),
  startEngine: ({ afterwards }, use) =>
    use(async (options) => {
      const engine = await PrivateEngine.start(options)
      afterwards(() => engine.remove())
      return engine
    }),
})
