import { registerEngines } from './engine/external-engine'
import { slurm } from './slurm/engine'

/** Makes the engines of features known. The web server, and tests that use one of them, call it at their start. */
export function registerAllEngines(): void {
  registerEngines({ slurm })
}
