/**
 * npm loads this before each program of a checkout: `node --require ./deploy/run/require-node.cjs PROGRAM`. With a Node.js
 * that is too old it prints one line and ends the process, before the program installs or changes anything. An import of the program
 * would come too late: Node.js first reads the syntax and all imports of a program.
 */
const { explainOldNode } = require('../../cli/supported-node.cjs')
const { engines } = require('../../package.json')

const problem = explainOldNode({
  version: process.versions.node,
  range: engines.node,
  command: commandOf(process.env, process.argv),
})
if (problem !== null) {
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}

/**
 * The command of npm that started this process.
 * @param {NodeJS.ProcessEnv} env
 * @param {string[]} argv
 */
function commandOf({ npm_lifecycle_event: name = 'start', npm_lifecycle_script: script = '' }, argv) {
  const npm = name === 'start' || name === 'test' ? ['npm', name] : ['npm', 'run', name]
  // The first arguments are those of the script in package.json. The others are the user's.
  const own = script
    .replace(/^.*\.m?js/, '')
    .split(' ')
    .filter(Boolean)
  const given = argv.slice(2 + own.length)
  return given.length > 0 ? [...npm, '--', ...given] : npm
}
