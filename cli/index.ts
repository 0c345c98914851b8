import { engines, version } from '../package.json'
import { exitCodes } from './job/exit-code'
import { explainOldNode } from './supported-node.cjs'

// A Node.js that is too old must be able to read this file and what it imports: no `await` out here, and no new syntax.

/** `gpuq … | head` closes the pipe early. That is not an error. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failed)
  })
}

const [, , ...words] = process.argv
const problem = explainOldNode({
  version: process.versions.node,
  range: engines.node,
  command: ['gpuq', ...words],
})
if (problem !== null) {
  process.stderr.write(`${problem}\n`)
  process.exitCode = exitCodes.failed
}
// Scripts ask for it often, and it needs no command.
else if (words.length === 1 && (words[0] === '--version' || words[0] === '-V'))
  process.stdout.write(`${version}\n`)
else import('./run').then(({ run }) => run())
