import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JobSource } from '../../contract/jobs'

/**
 * Reads the program and the config of the sample job, which the first start runs too.
 * @param root where the server was built
 */
export async function readSample(root = process.cwd()): Promise<JobSource> {
  const read = (name: string) => readFile(join(root, 'deploy', 'sample', name), 'utf8')
  const [code, config] = await Promise.all([read('solution.py'), read('config.yaml')])
  return { code, config, command: null }
}
