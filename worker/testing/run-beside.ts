import type { Lab } from './lab'

const sleepForever = 'import time\nwhile True: time.sleep(1)'

/** Runs a container beside the lab's, which goes when the lab does. */
export async function runBeside(lab: Lab, name: string, labels: Record<string, string>): Promise<string> {
  const id = await lab.engine.run(name, labels, sleepForever)
  lab.afterwards(() => lab.engine.remove(id))
  return id
}
