/** Which files differ from an earlier commit. */
import { execFileSync } from 'node:child_process'
import { root } from '../run/settings.mjs'

/**
 * @param {string[]} args
 * @returns {string} what git printed
 */
function git(args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** @param {string} text */
const lines = (text) => text.split('\n').filter(Boolean)

/**
 * @param {string} name a commit, a branch or a tag
 * @returns {string | null} its hash; null: there is none, or this is no checkout of git
 */
export function findCommit(name) {
  try {
    return git(['rev-parse', '--verify', '--quiet', `${name}^{commit}`]).trim()
  } catch {
    return null
  }
}

/** The base of the uncommitted changes. In a clean checkout: the base of the last commit. */
export function lastBase() {
  return lines(git(['status', '--porcelain'])).length > 0 ? 'HEAD' : 'HEAD~1'
}

/**
 * The commit at which this branch left `main`: that of the remote, if there is one, otherwise the local branch.
 * @returns {string | null} null if there is no such branch
 */
export function baseOnMain() {
  const main = ['origin/main', 'main'].find((name) => findCommit(name) !== null)
  return main === undefined ? null : git(['merge-base', main, 'HEAD']).trim()
}

/**
 * The files changed since `base`, committed or not, also those that git does not track yet.
 * @param {string} base
 * @returns {string[]} paths relative to the root
 */
export function changedFiles(base) {
  const tracked = lines(git(['diff', '--name-only', base]))
  return [...tracked, ...lines(git(['ls-files', '--others', '--exclude-standard']))]
}

/**
 * What identifies the checked-out code: the commit, and a hash of the uncommitted changes.
 * @returns {{ commit: string, changes: string } | null} null outside of git. `changes` is empty in a clean checkout
 */
export function identifyCode() {
  const commit = findCommit('HEAD')
  if (commit === null) return null
  const untracked = lines(git(['ls-files', '--others', '--exclude-standard']))
  const hashes = untracked.length > 0 ? git(['hash-object', '--', ...untracked]) : ''
  const text = git(['diff', 'HEAD']) + hashes
  if (text === '') return { commit, changes: '' }
  const changes = execFileSync('git', ['hash-object', '--stdin'], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  })
  return { commit, changes: changes.trim() }
}

/**
 * A file as it was in a commit.
 * @param {string} commit
 * @param {string} path relative to the root
 * @returns {string | null} null if it did not exist
 */
export function readAt(commit, path) {
  try {
    return git(['show', `${commit}:${path}`])
  } catch {
    return null
  }
}
