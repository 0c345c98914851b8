/**
 * Words that mean the same in questions about a job queue: newcomers do not know the words of the documents. A word may be in several
 * groups. Stems, as the search compares them.
 */
const groups = [
  'run submit start launch execute',
  'script program code',
  'stop cancel kill abort terminate',
  'wait pending queue queued stuck',
  'fail error crash broken die',
  'memory ram oom',
  'machine node computer server host worker',
  'server engine',
  'person user people account member',
  'student participant class course',
  'email mail notify notif notification notified slack',
  'done finish end complete ended',
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
  'share link public read-only',
  'limit quota maximum budget',
  'backup back restore',
  'shell terminal ssh interactive notebook jupyter',
  'delete remove',
  'upload directory folder file',
].map((group) => group.split(' '))

/** The other words of the groups of a stem. */
export function synonymsOf(stem: string, toStem: (word: string) => string): string[] {
  const stems = groups.map((group) => group.map(toStem))
  return [...new Set(stems.filter((group) => group.includes(stem)).flat())].filter((other) => other !== stem)
}
