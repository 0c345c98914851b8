import { contractScripts } from './contract-programs'
import { FakeEngine } from './fake-engine'
import { FakeRuntime } from './fake-runtime'
import { RuntimeBench } from './runtime-bench'
import { describeContract } from './runtime-contract'

describeContract('the fake engine', async () => {
  const engine = new FakeEngine(contractScripts())
  return {
    bench: new RuntimeBench(new FakeRuntime(engine)),
    connect: () => new FakeRuntime(engine),
    stateOf: async ({ id }) => engine.containers().find((container) => container.id === id)?.state ?? 'gone',
    removeByHand: async ({ id }) => engine.removeByHand(id),
    close: async () => {},
  }
})
