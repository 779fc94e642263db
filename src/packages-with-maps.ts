// Loaded before the program's own files, and before stacks are mapped to sources: Node would read the maps of these
// packages as well, file by file, which makes a start a fifth slower and says nothing of src/.
import 'class-transformer';
import 'class-validator';
import 'prom-client';
import 'typeorm';
