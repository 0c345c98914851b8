import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Busboy } from 'busboy'
import { type ErrorCode, type FieldError, GpuqError } from '../contract/errors'
import { firstInvalidByte } from '../results/utf8'

export interface UploadedPart {
  filename: string
  bytes: Buffer
}

export interface Upload {
  /** Null: none came, for the config may say what to run. */
  code: UploadedPart | null
  configFile: UploadedPart
  /** SHA-256 over both parts: the same for the same upload, whatever boundary its client made up. */
  bodyHash: Buffer
}

/** The parts of an upload, and the name a file gets that came without one. */
const defaultNames = { code: 'solution.py', config_file: 'config.yaml' } as const
export const partNames = ['code', 'config_file'] as const
type PartName = (typeof partNames)[number]

/** What came so far, and the first thing that was wrong with it. */
export class PartCollector {
  readonly #parts = new Map<PartName, UploadedPart>()
  readonly #seen = new Set<PartName>()
  readonly #maxPartBytes: number
  #refusal: GpuqError | undefined

  constructor(parser: Busboy, maxPartBytes: number) {
    this.#maxPartBytes = maxPartBytes
    parser.on('file', (name, stream, { filename, encoding }) => {
      this.#takeFile(this.#accept(name, encoding), stream, filename)
    })
    parser.on('field', (name, value, { encoding, valueTruncated }) => {
      const part = this.#accept(name, encoding)
      if (part === null) return
      if (valueTruncated) this.#refuse(partTooLarge(part, this.#maxPartBytes))
      else this.#takeField(part, value)
    })
    parser.on('partsLimit', () => {
      this.#refuse(refusal('invalid_request', 'The upload has more parts than code and config_file.'))
    })
    parser.on('error', () => {
      this.#refuse(
        refusal('invalid_request', 'The multipart body is broken, or ends before its last boundary.'),
      )
    })
  }

  throwIfRefused(): void {
    if (this.#refusal) throw this.#refusal
  }

  /** @throws 422 naming the parts that are missing. Whether `code` may be, only the config can say. */
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

  /** The part's name if it is to be read. */
  #accept(name: string | undefined, encoding: string): PartName | null {
    const part = partNames.find((known) => known === name)
    if (part === undefined) {
      const shown = name !== undefined && /^[\w.-]{1,32}$/.test(name) ? name : '(of another name)'
      this.#refuse(
        wrongParts([{ path: shown, message: 'is not a part of an upload: send code and config_file' }]),
      )
      return null
    }
    if (this.#seen.has(part)) this.#refuse(wrongParts([{ path: part, message: 'came twice: send it once' }]))
    if (!['7bit', '8bit', 'binary'].includes(encoding)) {
      const message = 'has a Content-Transfer-Encoding: send the file as it is'
      this.#refuse(
        refusal('unsupported_media_type', `The part ${part} ${message}.`, [{ path: part, message }]),
      )
    }
    this.#seen.add(part)
    return this.#refusal ? null : part
  }

  #takeFile(part: PartName | null, stream: Readable, filename: string | undefined): void {
    // The parser says what is wrong; without a listener its file's copy of that error would end the process.
    stream.on('error', () => undefined)
    if (part === null) {
      stream.resume()
      return
    }
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('limit', () => this.#refuse(partTooLarge(part, this.#maxPartBytes)))
    stream.on('end', () => this.#keep(part, Buffer.concat(chunks), filename))
  }

  /**
   * The parser gives a field's bytes as Latin-1, unless the part named a charset itself: then it gives text, shown by
   * characters that Latin-1 has not, or nothing where it does not know the charset.
   */
  #takeField(part: PartName, value: string | undefined): void {
    if (value === undefined || value.includes('\ufffd')) {
      this.#refuse(wrongParts([{ path: part, message: 'is not UTF-8: save the file as UTF-8' }]))
    } else {
      const named = /[\u0100-\uffff]/.test(value)
      this.#keep(part, Buffer.from(value, named ? 'utf8' : 'latin1'), undefined)
    }
  }

  #keep(part: PartName, bytes: Buffer, filename: string | undefined): void {
    if (bytes.length === 0)
      this.#refuse(wrongParts([{ path: part, message: 'is empty: send a file with content' }]))
    if (!isUtf8(bytes)) {
      const message = `is not UTF-8 (first wrong byte: ${firstInvalidByte(bytes)}): save the file as UTF-8`
      this.#refuse(wrongParts([{ path: part, message }]))
    }
    const name = filename?.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '').slice(0, 255)
    this.#parts.set(part, { filename: name || defaultNames[part], bytes })
  }

  #refuse(error: GpuqError): void {
    this.#refusal ??= error
  }
}

function partTooLarge(path: PartName, maxPartBytes: number): GpuqError {
  const message = `is larger than ${maxPartBytes} bytes: send less`
  return refusal('payload_too_large', `The part ${path} ${message}.`, [{ path, message }])
}

export function missingParts(names: readonly PartName[]): GpuqError {
  return wrongParts(
    names.map((path) => ({ path, message: `is missing: add -F "${path}=@${defaultNames[path]}"` })),
  )
}

function wrongParts(errors: FieldError[]): GpuqError {
  const detail = errors.map(({ path, message }) => `The part ${path} ${message}.`).join(' ')
  return refusal('invalid_fields', detail, errors)
}

export function refusal(code: ErrorCode, message: string, errors?: FieldError[]): GpuqError {
  return new GpuqError(code, message, errors && { errors })
}
