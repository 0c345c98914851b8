import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { taskGid } from './runtime/spec/container-spec'

/**
 * Tells why accounts of this machine can look into jobs: the system lets an account read the variables and files of a process
 * that has its uid and its group, and a group here has the gid of jobs. Null: none has.
 */
export async function describeTaskGroup(gid = taskGid): Promise<string | null> {
  // It ends with an error if there is no such group.
  const { stdout } = await promisify(execFile)('getent', ['group', String(gid)]).catch(() => ({ stdout: '' }))
  const [name] = stdout.split(':')
  if (!name) return null
  return `The group ${name} of this machine has the gid of jobs, ${gid}. A member whose uid is that of a job can read its variables and files. Give the group another gid.`
}
