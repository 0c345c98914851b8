import type { ErrorCode, YAMLError } from 'yaml'

/**
 * Messages for text that is not YAML. The library's messages quote the source, which may contain the token. So gpuq uses
 * them only to choose a message, and never shows them.
 */
const sentences = {
  ALIAS_PROPS: 'anchors and aliases (& and *) are not allowed here: write the value out',
  BAD_ALIAS: 'anchors and aliases (& and *) are not allowed here: write the value out',
  BAD_COLLECTION_TYPE: 'tags (a word after !) are not allowed here: write plain values',
  BAD_DIRECTIVE: 'lines that begin with % are not allowed here',
  BAD_DQ_ESCAPE: 'this is no escape that YAML knows: write \\\\ for a backslash, or use single quotes',
  BAD_INDENT: 'the indentation is wrong here: keys that belong together start in the same column',
  BAD_PROP_ORDER: 'anchors and tags (& and !) are not allowed here',
  BAD_SCALAR_START: 'a value cannot begin with this character: put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a second `key: value` stands on this line: put values that hold a colon in quotes',
  BLOCK_IN_FLOW: 'inside { } and [ ], write lists and mappings with brackets too',
  DUPLICATE_KEY: 'this key appears twice',
  IMPOSSIBLE: 'this is not YAML',
  KEY_OVER_1024_CHARS: 'this key is far too long',
  MISSING_CHAR: 'something is missing here: a colon with a space after it, a comma, or a bracket',
  MULTILINE_IMPLICIT_KEY:
    'a key ends on the line it begins on: a colon, a comma or a quote is missing before here',
  MULTIPLE_ANCHORS: 'anchors and aliases (& and *) are not allowed here: write the value out',
  MULTIPLE_DOCS: 'a second document begins here: leave one, without --- in between',
  MULTIPLE_TAGS: 'tags (a word after !) are not allowed here: write plain values',
  NON_STRING_KEY: 'a key must be a plain word',
  RESOURCE_EXHAUSTION: 'this is nested too deep',
  TAB_AS_INDENT: 'a tab stands here: indent with spaces',
  TAG_RESOLVE_FAILED: 'tags (a word after !) are not allowed here: write plain values',
  UNEXPECTED_TOKEN:
    'this is not expected here: look for a quote, bracket, comma or colon too many or missing',
} as const satisfies Record<ErrorCode, string>

const openQuote = /closing.*quote/

/** The message of the library tells more than its code. */
const closerSentences = [
  { code: 'MISSING_CHAR', when: openQuote, message: 'a quote is opened here and never closed' },
  { code: 'MISSING_CHAR', when: /end with/, message: 'a bracket is opened before here and never closed' },
  {
    code: 'BAD_INDENT',
    when: /end with/,
    message: 'a bracket is opened before here and not closed where it must be',
  },
] as const

/** Whether a quote is not closed. */
export function isOpenQuote({ code, message }: YAMLError): boolean {
  return code === 'MISSING_CHAR' && openQuote.test(message)
}

/** The message for an error of the library. */
export function describeYamlError(error: YAMLError): string {
  const closer = closerSentences.find(({ code, when }) => code === error.code && when.test(error.message))
  return closer?.message ?? sentences[error.code]
}
