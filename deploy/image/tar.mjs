/**
 * Creates small, reproducible tar files: they contain no time and no user.
 * No package does it, because `npm start` loads this file before it installs any.
 */

const block = 512
/** The limit of the tar header. */
const maxNameLength = 100

/**
 * Packs a build context for the engine: a tar file with one Dockerfile.
 * @param {string} dockerfile
 */
export function packDockerfile(dockerfile) {
  return packFiles([{ name: 'Dockerfile', content: Buffer.from(dockerfile) }])
}

/**
 * @param {{ name: string, content: Buffer, executable?: boolean }[]} files in the order of the archive
 * @throws if a name is too long or not ASCII
 */
export function packFiles(files) {
  const packed = files.flatMap(({ name, content, executable = false }) => [
    header(name, content.length, executable ? 0o755 : 0o644),
    content,
    Buffer.alloc((block - (content.length % block)) % block),
  ])
  return Buffer.concat([...packed, Buffer.alloc(2 * block)])
}

/**
 * @param {string} name
 * @param {number} bytes
 * @param {number} mode
 */
function header(name, bytes, mode) {
  if (name.length > maxNameLength || !/^[\x21-\x7e]+$/.test(name)) {
    throw new Error(
      `A tar file cannot contain the name ${JSON.stringify(name)}: it is too long or not ASCII.`,
    )
  }
  const head = Buffer.alloc(block)
  const field = (/** @type {number} */ at, /** @type {string} */ text) => head.write(text, at, 'ascii')
  const octal = (/** @type {number} */ value, /** @type {number} */ digits) =>
    value.toString(8).padStart(digits, '0')
  field(0, name)
  field(100, `${octal(mode, 7)}\0`)
  field(108, `${octal(0, 7)}\0`)
  field(116, `${octal(0, 7)}\0`)
  field(124, `${octal(bytes, 11)}\0`)
  field(136, `${octal(0, 11)}\0`)
  field(148, ' '.repeat(8))
  field(156, '0')
  field(257, 'ustar\0')
  field(263, '00')
  const sum = head.reduce((total, byte) => total + byte, 0)
  field(148, `${octal(sum, 6)}\0 `)
  return head
}
