// main.ts loads these packages before it has stacks mapped to sources. Later, Node would read their source maps too,
// file by file: a start would be a fifth slower, and the stacks say nothing more of src/.
import 'class-transformer';
import 'class-validator';
import 'prom-client';
import 'typeorm';
