import { cookiesNamed } from './cookies';

it.each([
  [undefined, []],
  ['', []],
  ['session', []],
  ['session=', ['']],
  ['session=a', ['a']],
  ['session=a; other=b; session=c', ['a', 'c']],
  ['x=session=a;session = "b" ;Session=c', ['b']],
  ['$Version=1; session="a"; $Path=/v2/user, session=b', ['a', 'b']],
  ['session="a', ['"a']],
])('of %j finds %j', (header, values) => {
  expect(cookiesNamed('session', header)).toEqual(values);
});
