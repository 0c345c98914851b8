/*
 * Invisible characters that reorder, hide or join text. A hostile job can print them to fake its output. Each is shown
 * by name.
 */

// Zero-width and bidi marks, embeddings, overrides and isolates, line and paragraph separators, invisible operators,
// fillers, interlinear marks, tags and the variation selectors used to smuggle bytes. Lone surrogates are no text.
const invisible =
  '\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u2028-\\u202E\\u2060-\\u206F' +
  '\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB\\u{E0000}-\\u{E01EF}\\uD800-\\uDFFF'

/** Control characters (except tab) and invisible characters. */
export const specialCharacter = new RegExp(`[\\u0000-\\u0008\\u000A-\\u001F\\u007F-\\u009F${invisible}]`, 'u')

// Joiners belong to emoji made of several, and to the spelling of scripts such as Arabic and Devanagari.
const joiningScripts = [
  'Arabic',
  'Bengali',
  'Devanagari',
  'Gujarati',
  'Gurmukhi',
  'Kannada',
  'Khmer',
  'Malayalam',
  'Mongolian',
  'Myanmar',
  'Oriya',
  'Sinhala',
  'Syriac',
  'Tamil',
  'Telugu',
]
const mayBeJoined = new RegExp(
  `(?:\\p{Extended_Pictographic}|\\p{Emoji_Modifier}|\\uFE0F|${joiningScripts.map((name) => `\\p{Script=${name}}`).join('|')})$`,
  'u',
)

// By name and not by their pictures (as U+2400 for NUL), which few fonts have.
const controlNames =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  )

/** The name of a special character, or null if it is valid at this position. */
export function nameControl(character: string, before: string): string | null {
  const code = character.codePointAt(0) ?? 0
  if ((code === 0x200c || code === 0x200d) && mayBeJoined.test(before)) return null
  const name =
    code === 0x7f ? 'DEL' : (controlNames[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`)
  return `\u27E8${name}\u27E9`
}
