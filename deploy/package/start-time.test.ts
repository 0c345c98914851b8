import { build, type Metafile } from 'esbuild'
import { expect, it } from 'vitest'
import { withPackages } from './bundle-options.mjs'

/** The sources of an output and of all outputs that it imports at once. */
function loadedWith(outputs: Metafile['outputs'], path: string, seen = new Set<string>()): string[] {
  const output = outputs[path]
  if (output === undefined || seen.has(path)) return []
  seen.add(path)
  const imported = output.imports.filter(({ kind }) => kind === 'import-statement')
  return [...Object.keys(output.inputs), ...imported.flatMap((one) => loadedWith(outputs, one.path, seen))]
}

async function bundle(entryPoints: Record<string, string>): Promise<Metafile['outputs']> {
  const { metafile } = await build({
    ...withPackages,
    entryPoints,
    write: false,
    metafile: true,
    sourcemap: false,
  })
  return metafile.outputs
}

it('the command line starts without zod, and prints its version without its commands', async () => {
  const outputs = await bundle({ cli: 'cli/index.ts', program: 'cli/program.ts' })
  const loaded = (name: string) => loadedWith(outputs, `dist/${name}.js`).join('\n')
  expect(loaded('program')).toMatch(/\/commander\//)
  expect(loaded('program')).not.toMatch(/\/zod\//)
  expect(loaded('cli')).toMatch(/cli\/index\.ts/)
  expect(loaded('cli')).not.toMatch(/\/commander\//)
})

it('commands for jobs start without the schemas of everything else, and without the languages of zod', async () => {
  const outputs = await bundle({ run: 'cli/run-command.ts', jobs: 'cli/commands/jobs.ts' })
  const loaded = ['run', 'jobs'].flatMap((name) => loadedWith(outputs, `dist/${name}.js`)).join('\n')
  expect(loaded).toMatch(/operations\/jobs\.ts/)
  expect(loaded).not.toMatch(/operations\/(?!jobs|job-group|artifacts|operation\.|problem)/)
  expect(loaded).toMatch(/\/zod\//)
  expect(loaded).not.toMatch(/locales\/(?!en\.)/)
})
