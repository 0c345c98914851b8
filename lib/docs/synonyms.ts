import { toStem } from './stem'

/**
 * Groups of words that mean the same in questions about a job queue: newcomers do not know the words of the documents. A word may be in
 * several groups.
 */
const groups = [
  'run submit start launch execute',
  'script program code',
  'stop cancel kill abort terminate',
  'wait pending queue stuck',
  'fail error crash broken die',
  'memory ram oom',
  'machine node computer server host worker',
  'server engine',
  'person user people account member',
  'student participant class course',
  'email mail notify notification notified slack',
  'done finish end complete',
  'save keep store',
  'data dataset snapshot model input',
  'download fetch get result',
  'output log print result',
  'resume continue checkpoint interruption interrupted',
  'restart reboot',
  'half fraction part',
  'package pip module library install environment image conda',
  'secret key token password credential env variable',
  'many several sweep array grid each',
  'share link public',
  'limit quota maximum budget',
  'backup back restore',
  'shell terminal ssh interactive notebook jupyter',
  'delete remove',
  'upload directory folder file',
].map((group) => group.split(' ').map(toStem))

/** The stems of the other words in the groups of a stem. */
export function synonymsOf(stem: string): string[] {
  const related = groups.filter((group) => group.includes(stem)).flat()
  return [...new Set(related)].filter((other) => other !== stem)
}
