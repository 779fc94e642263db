// Express with nothing but a health check.
import express from 'express';

const app = express();
app.get('/health/live', (req, res) => res.json({ status: 'live' }));
app.listen(process.env.PORT, '127.0.0.1');
