import { IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import express from 'express';
import { bornForExpress } from './express-messages';

setFlagsFromString('--allow-natives-syntax');
// eslint-disable-next-line @typescript-eslint/no-implied-eval
const isFast = new Function('object', 'return %HasFastProperties(object)') as (object: object) => boolean;

it('makes requests and responses that have the methods of Express, and whose members V8 need not search for', () => {
  const app = express();
  const made = bornForExpress(app);
  const Request = made.IncomingMessage as unknown as new (socket: Socket) => IncomingMessage;
  const Response = made.ServerResponse as unknown as new (req: IncomingMessage) => ServerResponse;
  for (let n = 0; n < 100; n++) {
    const req = new Request(new Socket());
    const res = new Response(req);
    res.statusCode = 201;
    res.setHeader('ETag', '"1"');
    expect(['get' in req, 'set' in res]).toEqual([true, true]);
    expect([isFast(req), isFast(res)]).toEqual([true, true]);
  }
});
