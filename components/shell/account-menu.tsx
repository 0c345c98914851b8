import { ChevronDown, KeyRound, LogOut, Settings } from 'lucide-react'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { DropdownMenu, MenuItem, MenuSeparator } from '../ui/dropdown-menu'
import { leaveSite } from './sign-out'

interface AccountProps {
  handle: string
  admin: boolean
}

/** The menu of the signed-in user. */
export function AccountMenu(account: AccountProps) {
  return (
    <DropdownMenu
      className="w-60"
      trigger={
        <Button variant="ghost" className="max-w-full">
          <span className="min-w-0 truncate">{account.handle}</span>
          <ChevronDown aria-hidden className="text-subtle" />
        </Button>
      }
    >
      <AccountHeading {...account} />
      <MenuItem icon={Settings} href="/settings">
        Settings
      </MenuItem>
      <MenuItem icon={KeyRound} href="/tokens">
        Tokens
      </MenuItem>
      <MenuSeparator />
      <SignOutItem />
    </DropdownMenu>
  )
}

/** The user id and role at the top of a menu. */
export function AccountHeading({ handle, admin }: AccountProps) {
  return (
    <>
      <div className="flex items-center gap-2 px-2 py-1.5">
        <p className="min-w-0 flex-1 truncate font-medium text-ink text-sm">{handle}</p>
        {admin ? <Badge>admin</Badge> : null}
      </div>
      <MenuSeparator />
    </>
  )
}

/** Ends the session in this browser. */
export function SignOutItem() {
  return (
    <MenuItem icon={LogOut} onSelect={() => void leaveSite()}>
      Sign out
    </MenuItem>
  )
}
