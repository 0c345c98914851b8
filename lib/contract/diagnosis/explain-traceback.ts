import type { CauseId } from './causes'
import { completeMessage, messageAfter } from './evidence'
import { findDiverged, lastSign, readChildSignal } from './output-signs'
import { launchers, lostOther, type Origin, type Traceback } from './parse-traceback'
import { type FoundSign, findSign } from './signs'
import { findPath, findWording } from './wordings'

/** Exceptions of Python that mean a mistake in the code that raised them, not what it handled. */
const mistake =
  /^(?:Name|Attribute|Type|Key|Index|UnboundLocal|ZeroDivision|NotImplemented)Error\b|^AttributeError\b/

/** The causes that the next lines of the message name more exactly. */
const details: Readonly<Partial<Record<CauseId, readonly CauseId[]>>> = {
  distributed: ['gpu_shared', 'gpu_out_of_memory'],
  bad_checkpoint: ['lfs_pointer'],
}
/** The files of libraries that read checkpoints, and the calls that read them in native code. */
const readsCheckpoint =
  /[/\\](?:serialization|pickle|numpy_pickle|torch_load)\.py$|[/\\]safetensors[/\\]|[/\\]numpy[/\\]lib[/\\]_?format(?:_impl)?\.py$/
const checkpointCall = /\b(?:pickle|dill|cloudpickle|joblib)\.loads?\(/
/** The files of libraries that parse data. */
const readsData =
  /[/\\](?:configparser|csv|zipfile|tarfile|gzip|bz2|lzma|plistlib|wave|_?npyio(?:_impl)?)\.py$|(?:^|[/\\])(?:json|xml|tomllib|yaml|pyarrow|h5py|zipfile)[/\\]|[/\\]datasets[/\\](?:table\.py|packaged_modules[/\\])|[/\\]PIL[/\\](?:ImageFile|\w{1,40}ImagePlugin)\.py$|[/\\]pandas[/\\]io[/\\]/

/** What a traceback shows. */
interface TracebackSign extends FoundSign {
  /** The line above the traceback that shows the cause. */
  shownBy?: string
  /** The exception that shows the cause, if it is not the last one. */
  origin?: Origin
}

/** What waits for the workers of a data loader. */
const loaderFile = 'torch/utils/data/dataloader.py'

/** Why a program ended with a traceback. */
export function explainTraceback(traceback: Traceback, lines: readonly string[]): TracebackSign {
  const { origins, raisedIn, end, location } = traceback
  const exception = completeMessage(traceback.exception, lines, end)
  const missing = /^FileNotFoundError: .*: '([^'/]+)'$/.exec(exception)?.[1]
  if (missing !== undefined && /[/\\]subprocess\.py$/.test(raisedIn?.file ?? ''))
    return { cause: 'command_missing', subject: missing }
  const child = findChildSignal(lines, end)
  if (child !== null) return child
  if (
    lostOther.test(exception) &&
    lines.slice(traceback.start, end).some((line) => line.includes(loaderFile))
  )
    return { cause: 'data_loader_worker', subject: null }
  const sign = findSign(exception, true)
  const found =
    sign?.cause === 'file_missing' ? { ...sign, subject: sign.subject ?? findPath(exception) } : sign
  if (found?.cause === 'index_out_of_range' && /\bargv\[/.test(location?.code ?? ''))
    return { cause: 'argument_error', subject: null }
  // A program that the job started has printed the cause before.
  if (found === null && launchers.test(exception)) {
    const shown = lastSign(lines.slice(0, traceback.start))
    if (shown) {
      const { index, ...sign } = shown
      return { ...sign, shownBy: lines[index] ?? '' }
    }
  }
  // Some exceptions have more lines.
  const more = messageAfter(lines, end).map((line) => findSign(line.trim(), true))
  const reading = findReading(traceback)
  if (found?.cause === 'assertion') return findAsserted(exception) ?? found
  if (found?.cause === 'shape_mismatch' && reading) return reading
  if (found) return more.find((sign) => sign && details[found.cause]?.includes(sign.cause)) ?? found
  const inMessage = more.find((sign) => sign !== null)
  if (inMessage) return inMessage
  if (/^KeyboardInterrupt\b/.test(exception)) return { cause: 'killed_by_signal', subject: 'SIGINT' }
  if (!mistake.test(exception)) {
    const diverged = findDiverged(lines.slice(0, traceback.start))
    if (diverged !== null) return { cause: 'not_finite', subject: null, shownBy: lines[diverged] ?? '' }
    for (const origin of origins) {
      const sign = findSign(origin.exception, true) ?? findReading(origin)
      if (sign) return { ...sign, shownBy: origin.exception, origin }
    }
  }
  if (reading) return reading
  const said = findSaid(traceback, exception, messageAfter(lines, end).slice(0, mostSaid))
  if (said) return said
  for (const origin of mistake.test(exception) ? [] : origins) {
    const saidBefore = findSaid(origin, origin.exception)
    if (saidBefore) return { ...saidBefore, shownBy: origin.exception, origin }
  }
  // The packages of the environment do not fit if one of them fails while it is imported.
  if (/^(?:import|from) /.test(location?.code ?? '') && raisedIn?.file !== location?.file)
    return { cause: 'library_missing', subject: null }
  return findWarning(traceback, lines) ?? { cause: 'exception', subject: subjectOf(exception) }
}

/** A library in native code may print why it fails right above the traceback. */
function findWarning(traceback: Traceback, lines: readonly string[]): TracebackSign | null {
  const { exception, raisedIn, location, start } = traceback
  const isNative = raisedIn?.file === location?.file && !/^raise\b/.test(location?.code ?? '')
  if (mistake.test(exception) || !isNative) return null
  const shownBy = lines.slice(Math.max(0, start - 3), start).findLast((line) => /\b(?:WARN|ERROR)/.test(line))
  const sign = shownBy === undefined ? null : (findSign(shownBy, false) ?? findWording(shownBy))
  return sign && shownBy !== undefined ? { ...sign, shownBy } : null
}

/** An assertion may check what the program needs, and say so. */
function findAsserted(exception: string): FoundSign | null {
  const said = findWording(exception)
  return said && checked.has(said.cause) ? said : null
}

const checked: ReadonlySet<CauseId> = new Set(['not_finite', 'gpu_missing', 'file_missing', 'credentials'])

/** What an exception says in its own words. Those of a mistake are names of the code. */
function findSaid({ raisedIn }: Origin, exception: string, more: readonly string[] = []): FoundSign | null {
  // A module has this function for names that it no longer has.
  if (
    /^AttributeError\b/.test(exception) &&
    raisedIn?.function === '__getattr__' &&
    /[/\\]__init__\.py$/.test(raisedIn.file)
  )
    return { cause: 'import_name', subject: null }
  const isMistake = mistake.test(exception) && !/^IndexError\b/.test(exception)
  // NumPy and JAX raise a TypeError for arrays that do not fit.
  const texts = [exception, ...more.flatMap((line) => line.split(/(?<=[.!?]) /))].filter(
    (text) => !isMistake || (/^TypeError\b/.test(exception) && /\b(?:shape|dtype)s?\b/.test(text)),
  )
  return texts.map(findWording).find((said) => said !== null) ?? null
}

/** Below the first line of a message, this many lines may say why. */
const mostSaid = 2

/** What a library says of a file that it cannot read, unless another parameter or path lets it. */
function findReading({ exception, raisedIn, location }: Origin): FoundSign | null {
  if (/^_?(?:write|save|dump)/.test(raisedIn?.function ?? '')) return null
  if (mistake.test(exception) || /^IsADirectoryError\b|\w=(?:True|False)\b/.test(exception)) return null
  if (readsCheckpoint.test(raisedIn?.file ?? '')) return { cause: 'bad_checkpoint', subject: null }
  if (readsData.test(raisedIn?.file ?? '')) return { cause: 'bad_data', subject: null }
  const isNative = raisedIn?.file === location?.file && checkpointCall.test(location?.code ?? '')
  return isNative ? { cause: 'bad_checkpoint', subject: null } : null
}

function findChildSignal(lines: readonly string[], end: number): (FoundSign & { shownBy?: string }) | null {
  const exception = lines[end] ?? ''
  const isLauncher = launchers.test(exception)
  if (!isLauncher && !lostOther.test(exception)) return null
  // The process that failed first has a part of its own: the launcher has stopped the others.
  const root = lines.findLastIndex((line) => line.includes('Root Cause (first observed failure)'))
  if (root === -1 && !isLauncher) return null
  const said = root === -1 ? lines.slice(end, end + 40) : lines.slice(root, root + 8)
  const shownBy = said.find((line) => readChildSignal(line) !== null)
  if (shownBy === undefined) return null
  return { cause: 'killed_by_signal', subject: readChildSignal(shownBy), shownBy }
}

/** What an exception without a known cause names: the key of a KeyError, the name of a NameError. */
function subjectOf(exception: string): string | null {
  return (
    /^KeyError: (.+)$|^(?:NameError|UnboundLocalError): .*'([^']+)'|\bname '([^']+)' is not defined/
      .exec(exception)
      ?.slice(1)
      .find(Boolean) ?? null
  )
}
