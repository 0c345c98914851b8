import type { CauseId } from './causes'
import type { FoundSign } from './signs'

interface Wording {
  cause: CauseId
  /** All of them match. The first group is the path, module or the like that the message names. */
  words: readonly RegExp[]
  /** None of them matches. */
  except?: readonly RegExp[]
  /** Its path counts, if no pattern has a group. */
  namesPath?: true
}

const failsTo = "(?:can(?:no|')t|could ?n[o']t|failed to|(?:is |was )?unable to)"
const isAbsent = String.raw`(?:(?:\bnot|n't) (?:be )?(?:found|exist|available|installed|detected|enabled)|\bmissing\b|\bunavailable\b)`

/** A message that uses the words for a missing file, but is about a part of a file, or about a file of a server. */
const isOtherThanFile = /\bHTTP|\b(?:attribute|column|field|key|label|row|section|variable)s?\b(?! file)/
/** It says what a file lacks. */
const isInFile = /\bin (?:the )?(?:file )?['"`(]?[\w.~/-]{1,200}\.[A-Za-z]\w{1,9}\b/

const anyCase = (text: string) => new RegExp(text, 'i')

/** How messages name a path, the clearest first. */
const paths: readonly RegExp[] = [
  /['"`]((?:\.{1,2}|~)?\/[^'"`]{1,200})['"`]/,
  /['"`]([^'"`\s]{0,200}[./][^'"`\s]{1,200})['"`]/,
  /(?<![\w:/])((?:[\w~-]{0,60}[./]){1,20}\w{1,60})/,
  /['"`]([^'"`\s]{1,200})['"`]/,
]

/** The path that the message of an exception names, otherwise what it has between quotes. */
export function findPath(message: string): string | null {
  const text = message.slice(0, 2000).replace(/^[\w.]+: /, '')
  return paths.map((path) => path.exec(text)?.[1]).find(Boolean) ?? null
}

/** In the order in which they are tried. */
const wordings: readonly Wording[] = [
  { cause: 'argument_error', words: [/^usage: /i] },
  {
    cause: 'import_missing',
    words: [
      /^(?:ImportError|ModuleNotFoundError)\b|\binstall(?:ed)?\b/,
      /\bpip3? install (?:-{1,2}\w{1,20} ){0,3}['"`]?([A-Za-z][\w-]{1,60})|\b(?:dependency|install|requires(?: the)?) ['"`]?([A-Za-z][\w-]{1,60})|['"`]?\b([A-Za-z][\w-]{1,60})['"`]? (?:is|was) not installed/,
    ],
  },
  {
    cause: 'gpu_unsupported',
    words: [
      /\b(?:GPU|CUDA|NCCL|cuDNN|ROCm)\b/,
      /(?:\bnot|n't) (?:been )?(?:compiled|built) (?:for|to|with)\b|\b(?:compiled|built) without\b|n't have .{1,40} built[ -]in\b/i,
    ],
  },
  {
    cause: 'gpu_missing',
    words: [
      anyCase(
        String.raw`\b(?:needs?|requires?|find|detect) (?:\w{1,20} ){0,6}(?:GPUs?|CUDA)\b|\bno (?:(?!on\b)\w{1,20} ){0,6}(?:GPUs?|CUDA)\b|\b(?:GPUs?|CUDA) (?:\w{1,20} ){0,3}(?:${isAbsent}|required\b)`,
      ),
    ],
  },
  {
    cause: 'gpu_out_of_memory',
    words: [
      /\b(?:GPU|CUDA|device|KV cache)\b|\bgpu_memory/i,
      /\b(?:out of|not enough|insufficient) (?:\w{1,10} )?memory\b|\b(?:de|in)creas\w{1,3} \W?gpu_memory\w{0,40}|\bKV cache\b.{0,80}\bmemory\b/i,
    ],
  },
  {
    cause: 'host_out_of_memory',
    words: [/\b(?:out of|low on|not enough|insufficient) memory\b|\bOutOfMemory\w{0,20}/i],
  },
  {
    cause: 'disk_full',
    words: [
      /\b(?:not enough|insufficient) (?:free |disk |storage ){0,3}space\b|\bno (?:(?:free |disk |storage ){1,3}space\b|space (?:available|left|on|remaining)\b)|\bdisk (?:is )?full\b|\bquota exceeded\b/i,
    ],
  },
  {
    cause: 'command_missing',
    words: [
      /\b(?:compiler|executable|command|binary(?= (?:for|is|was|not|could|can)\b|\W*$| ?[:,'"`]))\b/i,
      anyCase(String.raw`\bno\b.{0,40}\bfound\b|${isAbsent}|${failsTo} (?:find|locate)`),
    ],
  },
  {
    cause: 'bad_data',
    words: [
      /\b(?:unknown|unrecogni[sz]ed|unsupported|invalid|incorrect) (?:file |data )?(?:format|header|magic)\b(?! (?:code|string|spec))|\bformat (?:is )?(?:not |un)(?:recogni[sz]ed|supported|known)\b/i,
    ],
  },
  {
    cause: 'file_missing',
    words: [
      anyCase(
        String.raw`\b(?:file|directory|folder|path|resource)s?\b.{0,120}(?:\bnot|n't) (?:be )?(?:found|exist)|\bno (?:such )?(?:file|directory|folder)s?\b|\bmissing (?:file|directory|folder)|${failsTo} (?:find|locate|open) (?:the |a |any )?(?:\w{1,20} )?(?:file|directory|folder)|\bnot a (?:valid )?(?:file|directory)\b|\bhave a file named|\bRepo id must\b`,
      ),
    ],
    except: [isOtherThanFile],
    namesPath: true,
  },
  {
    cause: 'file_missing',
    words: [
      anyCase(
        String.raw`\b(?:no|0)\b.{0,80}\bfound\b|${isAbsent}|${failsTo} (?:find|locate|open)|\berror opening\b`,
      ),
      /(?:^|[\s'"`(])((?:~|\.{1,2})?\/[\w./-]{1,200}|(?:[\w.-]{1,60}\/){1,20}[\w-]{1,60}\.[A-Za-z]\w{1,9}|(?<=\b(?:in|at|under|from) )(?:[\w.-]{1,60}\/){1,20}[\w.-]{0,60})/,
    ],
    except: [isOtherThanFile, isInFile],
  },
  {
    cause: 'permission',
    words: [
      /\b(?:permission|access) (?:is |was )?denied\b|\bnot (?:permitted|writable|readable)\b|\bno (?:write|read) (?:access|permission)/i,
    ],
  },
  {
    cause: 'credentials',
    words: [
      /\b(?:API[ _-]?key|access token|auth\w{0,12} token|credentials?|unauthorized|authenticated|authentication|log ?in(?! \S{0,100}\/))\b/i,
      /\b(?:not|no|missing|invalid|required|must|need|expired|denied|failed|incorrect|unauthorized|please)\b/i,
    ],
  },
  {
    cause: 'library_missing',
    words: [
      /(?<!\b(?:config|configuration|schema|dataset|data|file|format) )\bversion\b|\b(?:compiled?|built|ABI)\b/i,
      /\b(?:incompatible|mismatch(?:es|ed)?|not compatible)\b/i,
    ],
  },
  { cause: 'index_out_of_range', words: [/\b(?:index|indices)\b/i, /\bout[ -]of[ -](?:range|bounds)\b/i] },
  {
    cause: 'not_finite',
    words: [
      /\b(?:NaNs?|infs?|infinity|infinite(?! (?:loop|recursion|dataset|iterator|generator|stream))|non-?finite|not finite)\b/i,
    ],
  },
  {
    cause: 'device_mismatch',
    words: [
      /\b(?:same|different) devices?\b|\bon (?:the )?(?:cpu|cuda|gpu)\b.{0,80}\b(?:but|expected|should|must)\b/i,
    ],
  },
  {
    cause: 'bad_checkpoint',
    words: [
      /\b(?:checkpoint|state_?dict|ckpt)s?\b(?! (?:interval|frequency|period))/i,
      anyCase(
        String.raw`\b(?:mismatch|missing|unexpected|corrupt(?:ed)?|incompatible|invalid|damaged|truncated|incomplete|not match)\b|${failsTo} (?:load|restore|read)`,
      ),
    ],
  },
  {
    cause: 'shape_mismatch',
    words: [
      /\b(?:shape|size|dim|dimension|channel|feature|length|sample)s?\b(?! (?:flag|rate)s?\b)/i,
      /\bexpected\b(?! one of\b).{0,80}\b(?:got|but|received|found|given)\b|\bmust (?:match|be (?:of )?(?:the )?(?:same|equal))\b|\bmismatch|\b(?:incompatible|inconsistent|unequal|differs?|different)\b|(?:\bnot|n't) (?:to )?match\b|\bnot (?:equal|compatible)\b/i,
    ],
  },
  {
    cause: 'dtype_mismatch',
    words: [
      /^(?!.*\bNoneType\b).*\b(?:dtype|scalar type|data type)s?\b/i,
      /\b(?:expected|must(?! be one of\b)|same|mismatch|invalid|cannot|can't|could not|not supported|unsupported|incompatible|not compatible)\b/i,
    ],
  },
  {
    cause: 'network',
    words: [
      /\b(?:connect(?= to\b|\W*$|[.,:;])|connection|download|downloading)\b|\b(?:reach|resolve)\b.{0,60}(?:\b(?:address|host|hub|internet|network|server)|https?:|\w\.(?:ai|co|com|io|net|org)\b)/i,
      anyCase(String.raw`${failsTo}|\b(?:failed|failure|error|timed out|timeout|unreachable)\b`),
    ],
  },
  {
    cause: 'distributed',
    words: [
      /\b(?:ranks|rank ?[\d[]|variable \W?(?:local_)?rank|process group|world[ _]size|rendezvous|NCCL|all_?reduce)/i,
      /\btimed? ?out\b|\b(?:lost|died)\b|\bnot (?:been )?(?:set|initialized)\b/i,
    ],
  },
  {
    cause: 'bad_data',
    words: [
      /\b(?:file|archive|image|header|json|ya?ml|csv|parquet|record|dataset|line \d{1,9})s?\b/i,
      anyCase(
        String.raw`\b(?:corrupt(?:ed)?|truncated|malformed|damaged|magic (?:bytes|number)|not a valid|unexpected end)\b|${failsTo} (?:be )?(?:read|parse|decode|identify)`,
      ),
    ],
  },
  { cause: 'index_out_of_range', words: [/^IndexError\b/] },
]

/**
 * What the message of the exception or error that ended a program says in its own words. Other lines of an output use the same words
 * without a failure.
 */
export function findWording(message: string): FoundSign | null {
  const searched = message.slice(0, 2000)
  for (const { cause, words, except = [], namesPath } of wordings) {
    const matches = words.map((pattern) => pattern.exec(searched))
    if (matches.includes(null) || except.some((pattern) => pattern.test(searched))) continue
    const named = matches.flatMap((match) => match?.slice(1) ?? []).find(Boolean)
    return { cause, subject: named ?? (namesPath ? findPath(searched) : null) }
  }
  return null
}
