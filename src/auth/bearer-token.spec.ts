import { MalformedAuthorization } from './auth.problems';
import { bearerToken } from './bearer-token';

it.each(['Bearer abc', 'bearer abc', 'BEARER   abc'])('finds the token in %j', (value) => {
  expect(bearerToken([value])).toBe('abc');
});

it.each(['A-Z.a_z~0+9/=', 'x==', '9'])('knows the b64token %s', (token) => {
  expect(bearerToken([`Bearer ${token}`])).toBe(token);
});

it.each([[[]], [undefined], [['']], [['Basic dTpw']], [['Digest username="u", realm="r"']], [['Bearerx abc']]])(
  'finds none in %j',
  (lines) => {
    expect(bearerToken(lines)).toBeNull();
  },
);

const refusal = (lines: string[]) => {
  try {
    return bearerToken(lines);
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedAuthorization);
    return (error as MalformedAuthorization).detail;
  }
};

it.each(['Bearer', 'Bearer a b', 'Bearer a,b', 'Bearer =', 'Bearer é', 'Bearer a\tb', 'Bearer\tabc', 'abc'])(
  'refuses %j',
  (value) => {
    expect(refusal([value])).toBe('The Authorization header must read: Bearer, a space, the token.');
  },
);

it.each(['Bearer "abc"', "bearer  'abc'", 'Bearer abc"', 'Bearer \u00e2\u0080\u009cabc'])(
  'says of %j that the token is in quotes',
  (value) => {
    expect(refusal([value])).toBe('The token stands in quotes; it must follow Bearer and a space without them.');
  },
);

it('refuses two headers, of which a proxy in front might believe the other one', () => {
  expect(refusal(['Bearer abc', 'Bearer abc'])).toBe('The Authorization header stands there more than once.');
});
