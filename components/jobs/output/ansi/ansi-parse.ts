import { type AnsiStyle, applySgr, plainStyle } from '@/lib/contract/output/screen/ansi-style'
import { isSgr, readSequence } from '@/lib/contract/output/screen/control-sequences'
import { nameControl, specialCharacter } from './visible-controls'

/** A run of text with one style. */
export interface Segment {
  text: string
  style: AnsiStyle
  /** The text is the name of an invisible character. */
  control?: true
}

interface ParsedLine {
  segments: Segment[]
  /** The style at the start of the next line. */
  end: AnsiStyle
}

const special = new RegExp(specialCharacter.source, 'gu')

/**
 * Splits a line of output into runs. Applies colours and weights, and removes all other escape sequences. An unfinished
 * sequence is not removed: its first character is shown by name and the rest as text, so that it can hide nothing.
 */
export function parseLine(text: string, start: AnsiStyle = plainStyle): ParsedLine {
  if (!specialCharacter.test(text)) {
    return { segments: text === '' ? [] : [{ text, style: start }], end: start }
  }
  const line = new LineBuilder(start)
  let at = 0
  while (at < text.length) {
    special.lastIndex = at
    const found = special.exec(text)
    if (!found) break
    line.write(text.slice(at, found.index))
    const sequence = readSequence(text, found.index)
    if (sequence) {
      if (isSgr(sequence)) line.style = applySgr(line.style, sequence.parameters)
      at = sequence.end
    } else {
      line.writeControl(found[0])
      at = found.index + found[0].length
    }
  }
  line.write(text.slice(at))
  return { segments: line.finish(), end: line.style }
}

/** The visible text of a line, for search and copy. */
export function plainText(text: string): string {
  if (!specialCharacter.test(text)) return text
  return parseLine(text)
    .segments.map((segment) => segment.text)
    .join('')
}

class LineBuilder {
  private readonly segments: Segment[] = []
  private pending = ''
  private pendingStyle: AnsiStyle

  constructor(public style: AnsiStyle) {
    this.pendingStyle = style
  }

  write(text: string) {
    if (text === '') return
    if (this.pendingStyle !== this.style) this.flush()
    this.pending += text
  }

  writeControl(character: string) {
    const name = nameControl(character, this.pending)
    if (name === null) {
      this.write(character)
      return
    }
    this.flush()
    this.segments.push({ text: name, style: this.style, control: true })
  }

  finish(): Segment[] {
    this.flush()
    return this.segments
  }

  private flush() {
    if (this.pending !== '') this.segments.push({ text: this.pending, style: this.pendingStyle })
    this.pending = ''
    this.pendingStyle = this.style
  }
}
