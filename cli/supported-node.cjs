/**
 * The check of the Node.js version, for `gpuq` and for the programs that npm starts in a checkout. It must run on a Node.js
 * that is too old, from 12 on: so it is CommonJS, imports nothing and uses old syntax.
 */

/**
 * Says in one line which versions of Node.js run gpuq, and a command that brings one.
 * @param {object} started
 * @param {string} started.version the running one, such as `20.20.2`
 * @param {string} started.range `engines.node` of package.json, such as `^22.12 || >=24`
 * @param {string[]} started.command what the user typed, in words
 * @returns {string | null} null: the running version is supported
 */
function explainOldNode({ version, range, command }) {
  const [major, minor] = version.split('.').map(Number)
  const supported = range.split(' || ').map(readSupported)
  if (supported.some((one) => (major === one.major ? minor >= one.minor : major > one.major && one.andLater)))
    return null
  const versions = supported.map(({ text }) => text).join(' or ')
  const newest = supported[supported.length - 1].major
  // Only words that need no quotes can be repeated inside of quotes.
  const typed = command.every((word) => /^[\w@%+=:,./-]+$/.test(word)) ? command : [command[0], '…']
  return (
    `gpuq needs Node.js ${versions}; this is ${version}. Install Node.js ${newest}, ` +
    `or run: npm exec --yes --package=node@${newest} --call='${typed.join(' ')}'`
  )
}

/** @param {string} part such as `^22.12`, which are 22.12 and later, but not 23, or `>=24` */
function readSupported(part) {
  const [, sign, major, minor = '0'] = /^(\^|>=)(\d+)(?:\.(\d+))?$/.exec(part)
  const andLater = sign === '>='
  const text = andLater ? `${major} or later` : `${major} (${major}.${minor} or later)`
  return { major: Number(major), minor: Number(minor), andLater, text }
}

module.exports = { explainOldNode }
