/** The longest tag, in characters. */
export const maxTagCharacters = 64

/** Characters that hide, break or reverse the text after them. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Surrogate}]/u

/** The same in a text of several lines: control characters except tabs and ends of lines, and characters that reverse the text after them. */
export const unprintableInLines = /[^\P{Cc}\t\n]|[\p{Bidi_Control}\p{Surrogate}]/u

/** Whether lists can show a text as one line. */
export function isPrintable(text: string): boolean {
  return !unprintable.test(text)
}
