import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Busboy } from 'busboy'
import type { DirectoryUpload } from '../archives/unpack/directory-upload'
import type { DirectoryPart } from '../archives/unpack/refuse-entry'
import { type Alternatives, refuseProgram } from '../contract/config/program/program-kind'
import {
  type ErrorCode,
  type FieldError,
  GpuqError,
  invalidRequest,
  unauthenticated,
} from '../contract/errors'
import { firstInvalidByte } from '../results/utf8'

export interface UploadedPart {
  filename: string
  bytes: Buffer
}

export const maxPartBytes = 1024 * 1024

export interface Upload {
  /** Null if the upload has no program, because the config may have a command. */
  code: UploadedPart | null
  configFile: UploadedPart
  /** SHA-256 over both parts. It does not depend on the boundary, which the client chooses. */
  bodyHash: Buffer
}

/** The parts of an upload, with the name of a file that comes without one. */
const defaultNames = { code: 'solution.py', config_file: 'config.yaml' } as const
export const partNames = ['code', 'config_file'] as const
type PartName = (typeof partNames)[number]

/** What to send instead of a part `code` that is no Python program. */
const alternatives: Alternatives = {
  archive: 'send it as -F "archive=@FILE", without the part code',
  config: (name) =>
    `send it as -F "config_file=@${name}", and the program as -F "code=@solution.py" unless the config has the key command`,
  script: (name) =>
    name.endsWith('.sh')
      ? `send it as -F "files=@${name}", without the part code${name === 'run.sh' ? '' : `, and name it in the config: entrypoint: ${name}`}`
      : 'send it as -F "files=@FILE", without the part code, and run it with the key command of the config',
}

/** What a field has if the @ before the name of a file was forgotten. No program and no config is only this. */
const fileName = /^[\w .~:/\\-]{1,200}\.(?:py|ipynb|sh|ya?ml|json|zip|tar|t?gz)$/

const directoryParts: readonly DirectoryPart[] = ['archive', 'files']

/** Collects the parts of an upload, and remembers the first error. */
export class PartCollector {
  readonly #parts = new Map<PartName, UploadedPart>()
  readonly #seen = new Set<PartName>()
  #refusal: unknown
  #writing: Promise<void> = Promise.resolve()

  /** `onDirectory` is called when the first file of a directory arrives. */
  constructor(
    parser: Busboy,
    readonly directory: DirectoryUpload | null,
    readonly onDirectory: () => void,
  ) {
    parser.on('file', (name, stream, { filename, encoding }) => {
      const part = directoryParts.find((known) => known === name)
      if (part) this.#takeDirectoryPart(part, stream, filename)
      else this.#takeFile(this.#accept(name, encoding), stream, filename)
    })
    parser.on('field', (name, value, { encoding, valueTruncated }) => {
      const part = this.#accept(name, encoding)
      if (part === null) return
      if (valueTruncated) this.#refuse(partTooLarge(part))
      else this.#takeField(part, value)
    })
    const refuseBody = (message: string) => this.#refuse(invalidRequest(message))
    parser.on('partsLimit', () =>
      refuseBody('The upload has too many parts. Send code and config_file, and many files as one archive.'),
    )
    parser.on('error', () =>
      refuseBody('The multipart body is invalid, or ends before its last boundary. Send it again.'),
    )
  }

  throwIfRefused(): void {
    if (this.#refusal) throw this.#refusal
  }

  /** Resolves when everything that arrived is written or refused. */
  stored(): Promise<void> {
    return this.#writing
  }

  /** @throws 422 if config_file is missing. Only the config can say whether `code` is required. */
  finish(): Upload {
    const code = this.#parts.get('code') ?? null
    const configFile = this.#parts.get('config_file')
    if (configFile === undefined) {
      throw missingParts(partNames.filter((path) => !this.#parts.has(path)))
    }
    const hash = createHash('sha256')
    if (code === null) hash.update('none:')
    else hash.update(`${code.bytes.length}:`).update(code.bytes)
    return { code, configFile, bodyHash: hash.update(configFile.bytes).digest() }
  }

  /** The part's name; null if the part is refused. */
  #accept(name: string | undefined, encoding: string): PartName | null {
    const part = partNames.find((known) => known === name)
    if (name === 'archive' || name === 'files') {
      this.#refuse(wrongPart(name, `is no file: send it as -F "${name}=@FILE"`))
      return null
    }
    if (part === undefined) {
      const shown = name !== undefined && /^[\w.-]{1,32}$/.test(name) ? name : '(of another name)'
      this.#refuse(wrongPart(shown, 'is unknown: send code, config_file, and archive or files'))
      return null
    }
    if (this.#seen.has(part)) this.#refuse(wrongPart(part, 'came twice: send it once'))
    if (!['7bit', '8bit', 'binary'].includes(encoding)) {
      const message = 'has a Content-Transfer-Encoding: send the file without one'
      this.#refuse(wrongPart(part, message, 'unsupported_media_type'))
    }
    this.#seen.add(part)
    return this.#refusal ? null : part
  }

  #takeFile(part: PartName | null, stream: Readable, filename: string | undefined): void {
    // The parser reports the error too. Without a listener, the file's copy of it would end the process.
    stream.on('error', () => undefined)
    if (part === null) {
      stream.resume()
      return
    }
    const chunks: Buffer[] = []
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxPartBytes) chunks.push(chunk)
      else this.#refuse(refuseKind(part, Buffer.concat(chunks), filename) ?? partTooLarge(part))
    })
    stream.on('end', () => this.#keep(part, Buffer.concat(chunks), filename))
  }

  /** Writes a file of a directory to the disk. The parser waits for it, so that it does not collect in memory. */
  #takeDirectoryPart(part: DirectoryPart, stream: Readable, filename: string | undefined): void {
    this.onDirectory()
    // Without a listener, an error of the parser would end the process.
    stream.on('error', () => undefined)
    const refusal = this.#refusal ?? this.#directoryRefusal(part, filename)
    if (refusal !== null) {
      this.#refuse(refusal)
      stream.resume()
      return
    }
    // One after the other: the last bytes of a file may still be written when the next one begins.
    this.#writing = this.#writing.then(() => this.#write(part, filename ?? part, stream))
  }

  async #write(part: DirectoryPart, filename: string, stream: Readable): Promise<void> {
    try {
      this.throwIfRefused()
      await this.directory?.add(part, filename, stream)
    } catch (error) {
      this.#refuse(error)
      stream.resume()
    }
  }

  #directoryRefusal(part: DirectoryPart, filename: string | undefined): GpuqError | null {
    if (part === 'files' && !filename)
      return wrongPart(part, 'has no file name: send it as -F "files=@model.py;filename=src/model.py"')
    if (this.directory !== null) return null
    return unauthenticated(
      `Send your token as the header "Authorization: Bearer YOUR_TOKEN". The token in the config is not enough for the part ${part}, because the config may come later.`,
    )
  }

  /**
   * The parser decodes a field as Latin-1, unless the part names a charset. Then it gives text, recognizable by
   * characters that Latin-1 does not have, or nothing if it does not know the charset.
   */
  #takeField(part: PartName, value: string | undefined): void {
    if (value === undefined || value.includes('\ufffd')) {
      this.#refuse(wrongPart(part, 'is not UTF-8: save the file as UTF-8'))
    } else if (fileName.test(value.trim())) {
      const message = `is the name of a file, not its content: write -F "${part}=@${value.trim()}", with @ before the name of each file`
      this.#refuse(wrongPart(part, message))
    } else {
      const named = /[\u0100-\uffff]/.test(value)
      this.#keep(part, Buffer.from(value, named ? 'utf8' : 'latin1'), undefined)
    }
  }

  #keep(part: PartName, bytes: Buffer, filename: string | undefined): void {
    if (bytes.length === 0) this.#refuse(wrongPart(part, 'is empty: send a file with content'))
    const name = baseName(filename) || defaultNames[part]
    const wrongKind = refuseKind(part, bytes, name)
    if (wrongKind !== null) this.#refuse(wrongKind)
    if (!isUtf8(bytes)) {
      const message = `is not UTF-8 (first wrong byte: ${firstInvalidByte(bytes)}): save the file as UTF-8`
      this.#refuse(wrongPart(part, message))
    }
    this.#parts.set(part, { filename: name, bytes })
  }

  #refuse(error: unknown): void {
    this.#refusal ??= error
  }
}

/** The last part of a path, as a name that can be shown. The parser keeps the directories, because the files of a directory need them. */
function baseName(path = ''): string {
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return base.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '').slice(0, 255)
}

function refuseKind(part: PartName, content: Buffer, filename: string | undefined): GpuqError | null {
  const why = part === 'code' ? refuseProgram(content, baseName(filename), alternatives) : null
  return why === null ? null : wrongPart(part, why)
}

function partTooLarge(part: PartName): GpuqError {
  return wrongPart(part, `is larger than ${maxPartBytes} bytes: send less`, 'payload_too_large')
}

function missingParts(names: readonly PartName[]): GpuqError {
  return wrongParts(
    names.map((path) => ({ path, message: `is missing: add -F "${path}=@${defaultNames[path]}"` })),
  )
}

function wrongPart(path: string, message: string, code?: ErrorCode): GpuqError {
  return wrongParts([{ path, message }], code)
}

function wrongParts(errors: FieldError[], code: ErrorCode = 'invalid_fields'): GpuqError {
  const detail = errors.map(({ path, message }) => `The part ${path} ${message}.`).join(' ')
  return new GpuqError(code, detail, { errors })
}
