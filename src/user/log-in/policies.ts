import { networksOf } from '../../platform/common/network';
import { sha256 } from '../../platform/common/sha256';

/** Who tries to log in, and from where. */
export interface LogInAttempt {
  /** In NFC. */
  account: string;
  address: string;
  /** The token of a device from which the account's owner has logged in before. */
  device?: string;
}

/** One count of failures: whose, and how many are allowed before the next has to wait. */
export interface Policy {
  /** As the RateLimit headers call it. */
  name: 'account' | 'address' | 'device';
  key: string;
  allowed: number;
  /** Whether a success forgets them: they can only be the owner's, or those of somebody beside him. */
  ownFailures: boolean;
}

/** A /48 may hold many customers, if it is a mobile network's, so it is allowed more than a /64. */
const WIDER = [1, 4];
/** 100 in an hour by default: one network, at most one attempt in 15 minutes, cannot keep an owner out; 25 could. */
const FROM_ANYWHERE = 20;

/**
 * What counts an attempt. A device that is known is a counter of its own: whatever others do to the account, or to the
 * address, its owner gets in from there (OWASP, "Device cookies"). All others are counted for the account in their
 * network, for the account wherever they are, and for their network, in this order, which keeps locks from crossing.
 */
export function policiesFor(
  { account, address, device }: LogInAttempt,
  { perAccount, perAddress }: { perAccount: number; perAddress: number },
): Policy[] {
  if (device !== undefined) {
    return [{ name: 'device', key: keyOf('device', device), allowed: perAccount, ownFailures: true }];
  }
  const networks = networksOf(address).map((network, index) => ({ network, wider: WIDER[index]! }));
  return [
    ...networks.map(({ network, wider }) => ({
      name: 'account' as const,
      key: accountKey(account) + keyOf('network', network),
      allowed: perAccount * wider,
      ownFailures: true,
    })),
    { name: 'account', key: accountKey(account), allowed: perAccount * FROM_ANYWHERE, ownFailures: false },
    ...networks.map(({ network, wider }) => ({
      name: 'address' as const,
      key: keyOf('address', network),
      allowed: perAddress * wider,
      ownFailures: false,
    })),
  ];
}

/** Begins the key of everything that is counted for an account, and of nothing else. */
const accountKey = (account: string) => keyOf('account', account);

/** Where the keys of an account are, first and last. */
export const keysOfAccount = (account: string): [string, string] => {
  const first = accountKey(account);
  return [first, first + 'f'.repeat(first.length)];
};

/** Neither names nor addresses stand in the database in clear. */
const keyOf = (...parts: string[]) => sha256(JSON.stringify(parts));
