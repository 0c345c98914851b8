/** A tar file with one Dockerfile in it: what the engine's build takes as its context. */

const block = 512

/** @param {string} dockerfile */
export function packDockerfile(dockerfile) {
  const content = Buffer.from(dockerfile)
  const header = Buffer.alloc(block)
  const field = (/** @type {number} */ at, /** @type {string} */ text) => header.write(text, at, 'ascii')
  const octal = (/** @type {number} */ value, /** @type {number} */ digits) =>
    value.toString(8).padStart(digits, '0')
  field(0, 'Dockerfile')
  field(100, `${octal(0o644, 7)}\0`)
  field(108, `${octal(0, 7)}\0`)
  field(116, `${octal(0, 7)}\0`)
  field(124, `${octal(content.length, 11)}\0`)
  field(136, `${octal(0, 11)}\0`)
  field(148, ' '.repeat(8))
  field(156, '0')
  field(257, 'ustar\0')
  field(263, '00')
  const sum = header.reduce((total, byte) => total + byte, 0)
  field(148, `${octal(sum, 6)}\0 `)
  const padding = Buffer.alloc((block - (content.length % block)) % block)
  return Buffer.concat([header, content, padding, Buffer.alloc(2 * block)])
}
