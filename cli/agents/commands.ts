import type { Command } from 'commander'
import { lazily } from '../declare/command'

const aboutMcp = `
Start it in the directory where the agent works, such as: claude mcp add gpuq -- gpuq mcp. Each job finds this directory at the
same path. The files that jobs write there return while they run. Only changes are sent. .gpuqignore, what git tracks and
.gitignore decide in this order; .gpuqignore also excludes files that return. Where the cluster shares the directory, nothing is sent.`

/** Commands for agents. */
export function declareAgents(program: Command): void {
  program
    .command('mcp')
    .description('serve the tools for agents over stdin and stdout (Model Context Protocol)')
    .option('--directory <dir>', 'working directory of the agent (default: the current directory)')
    .addHelpText('after', aboutMcp)
    .action(lazily(async () => (await import('./mcp')).mcp))
}
