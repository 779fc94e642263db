// Nest with TypeORM as the tutorials have it: repositories, `save`, a ValidationPipe.
import 'reflect-metadata';
import {
  Body,
  Controller,
  ForbiddenException,
  Get,
  Headers,
  HttpCode,
  Injectable,
  Module,
  NotFoundException,
  Param,
  ParseArrayPipe,
  Post,
  Put,
  Query,
  Res,
  UnauthorizedException,
  UseGuards,
  ValidationPipe,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { Column, Entity, MoreThan, PrimaryColumn, PrimaryGeneratedColumn, Repository } from 'typeorm';
// @ts-expect-error: plain JavaScript, shared with the other peers
import { bearerToken, file, hashPassword, newToken, sha256, userView, verifyPassword } from './store.mjs';

@Entity()
class Pet {
  @PrimaryGeneratedColumn() id: number;
  @Column('text') name: string;
  @Column('text', { nullable: true }) owner_id?: string | null;
  @Column('simple-json', { nullable: true }) owner?: object | null;
  @Column('text', { nullable: true }) species?: string | null;
  @Column('text', { nullable: true }) breed?: string | null;
  @Column('simple-json', { nullable: true }) category?: object | null;
  @Column('simple-json', { nullable: true }) photo_urls?: string[] | null;
  @Column('text', { nullable: true }) status?: string | null;
  @Column('int', { default: 1 }) version: number;
  @Column('simple-json', { nullable: true }) tags?: object[] | null;
}

@Entity()
class PetTag {
  @PrimaryColumn('int') pet_id: number;
  @PrimaryColumn('text') name: string;
}

@Entity()
class User {
  @PrimaryColumn('int') id: number;
  @Column('text', { nullable: true }) username?: string | null;
  @Column('text', { nullable: true }) first_name?: string | null;
  @Column('text', { nullable: true }) last_name?: string | null;
  @Column('text', { nullable: true }) email?: string | null;
  @Column('text', { nullable: true }) phone?: string | null;
  @Column('int', { nullable: true }) user_status?: number | null;
  @Column('text', { nullable: true }) password_hash?: string | null;
  @Column('int', { default: 1 }) version: number;
}

@Entity()
class Session {
  @PrimaryColumn('text') token_hash: string;
  @Column('int') user_id: number;
  @Column('int', { default: 1 }) nth: number;
  @Column('int') last_used_at: number;
  @Column('int') expires_at: number;
}

class OwnerDto {
  @IsOptional() @IsString() id?: string;
  @IsOptional() @IsString() name?: string;
  @IsOptional() @IsString() species?: string;
}

class CreatePetDto {
  @IsString() @IsNotEmpty() @MaxLength(1_000) name: string;
  @IsOptional() @IsString() owner_id?: string;
  @IsOptional() @ValidateNested() @Type(() => OwnerDto) owner?: OwnerDto;
  @IsOptional() @IsString() species?: string;
  @IsOptional() @IsString() breed?: string;
}

class LabelDto {
  @IsOptional() @IsInt() id?: number;
  @IsOptional() @IsString() name?: string;
}

class UpdatePetDto {
  @IsInt() @Min(1) id: number;
  @IsString() @IsNotEmpty() @MaxLength(1_000) name: string;
  @IsOptional() @ValidateNested() @Type(() => LabelDto) category?: LabelDto;
  @IsArray() @IsString({ each: true }) photoUrls: string[];
  @IsOptional() @IsArray() @ValidateNested({ each: true }) @Type(() => LabelDto) tags?: LabelDto[];
  @IsOptional() @IsIn(['available', 'pending', 'sold']) status?: string;
}

class CreateUserDto {
  @IsOptional() @IsInt() id?: number;
  @IsOptional() @IsString() username?: string;
  @IsOptional() @IsString() firstName?: string;
  @IsOptional() @IsString() lastName?: string;
  @IsOptional() @IsString() email?: string;
  @IsOptional() @IsString() phone?: string;
  @IsOptional() @IsString() password?: string;
  @IsOptional() @IsInt() userStatus?: number;
}

const petView = ({ id, name, owner_id, owner, species, breed }: Pet) => ({
  id,
  name,
  owner_id: owner_id ?? undefined,
  owner: owner ?? undefined,
  species: species ?? undefined,
  breed: breed ?? undefined,
});

@Injectable()
class BearerGuard implements CanActivate {
  constructor(@InjectRepository(Session) private readonly sessions: Repository<Session>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest();
    const token_hash = sha256(bearerToken(req.headers.authorization));
    const session = await this.sessions.findOneBy({ token_hash, expires_at: MoreThan(Date.now()) });
    if (!session) {
      throw new UnauthorizedException();
    }
    req.caller = session.user_id;
    return true;
  }
}

@Controller()
class PetController {
  constructor(
    @InjectRepository(Pet) private readonly pets: Repository<Pet>,
    @InjectRepository(PetTag) private readonly tags: Repository<PetTag>,
  ) {}

  @Post('v1/pet')
  async create(@Body() dto: CreatePetDto, @Res({ passthrough: true }) res: any) {
    const pet = await this.pets.save(this.pets.create(dto));
    res.set({ Location: `/v1/pet/${pet.id}`, ETag: `"${pet.version}"` });
    return petView(pet);
  }

  @Put('v2/pet')
  @UseGuards(BearerGuard)
  async update(@Body() dto: UpdatePetDto, @Res({ passthrough: true }) res: any) {
    const pet = await this.pets.findOneBy({ id: dto.id });
    if (!pet) {
      throw new NotFoundException();
    }
    const { name, category, photoUrls, tags, status } = dto;
    Object.assign(pet, { name, category: category ?? null, photo_urls: photoUrls, status: status ?? null });
    pet.tags = tags ?? null;
    pet.version += 1;
    await this.pets.save(pet);
    await this.tags.delete({ pet_id: pet.id });
    if (tags?.length) {
      await this.tags.save(tags.map(({ name }) => ({ name, pet_id: pet.id })));
    }
    res.set('ETag', `"${pet.version}"`);
  }

  @Get('v1/pet')
  async list(@Query('limit') limit: string, @Res({ passthrough: true }) res: any, @Query('cursor') cursor = '0') {
    const take = Number(limit);
    const pets = await this.pets.find({ where: { id: MoreThan(Number(cursor)) }, order: { id: 'ASC' }, take });
    if (pets.length === take) {
      res.set('Link', `</v1/pet?limit=${limit}&cursor=${pets.at(-1)!.id}>; rel="next"`);
    }
    return pets.map(petView);
  }

  @Get('v1/pet/:id')
  async read(@Param('id') id: string, @Res({ passthrough: true }) res: any) {
    const pet = await this.pets.findOneBy({ id: Number(id) });
    if (!pet) {
      throw new NotFoundException();
    }
    res.set('ETag', `"${pet.version}"`);
    return petView(pet);
  }
}

@Controller('v2/user')
class UserController {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    @InjectRepository(Session) private readonly sessions: Repository<Session>,
  ) {}

  @Post('createWithList')
  @HttpCode(200)
  async createAll(@Body(new ParseArrayPipe({ items: CreateUserDto })) list: CreateUserDto[]) {
    let id = (await this.users.maximum('id')) ?? 0;
    const rows = await Promise.all(
      list.map(async (dto) => ({
        id: dto.id || ++id,
        username: dto.username,
        first_name: dto.firstName,
        last_name: dto.lastName,
        email: dto.email,
        phone: dto.phone,
        user_status: dto.userStatus,
        password_hash: dto.password ? ((await hashPassword(dto.password)) as string) : null,
      })),
    );
    await this.users.save(rows);
  }

  @Get('login')
  async logIn(@Query('username') username: string, @Query('password') password: string, @Res() res: any) {
    const user = await this.users.findOneBy({ username });
    if (!user?.password_hash || !(await verifyPassword(user.password_hash, password))) {
      throw new UnauthorizedException();
    }
    const token: string = newToken();
    const now = Date.now();
    await this.sessions.save({
      token_hash: sha256(token),
      user_id: user.id,
      last_used_at: now,
      expires_at: now + 86_400_000,
    });
    res.json(token);
  }

  @Get(':username')
  @UseGuards(BearerGuard)
  async read(@Headers() _: unknown, @Param('username') username: string, @Res({ passthrough: true }) res: any) {
    const user = await this.users.findOneBy({ id: res.req.caller });
    if (user?.username !== username) {
      throw new ForbiddenException();
    }
    res.set('ETag', `"${user.version}"`);
    return userView(user);
  }
}

@Controller('health')
class HealthController {
  @Get('live')
  live() {
    return { status: 'live' };
  }
}

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'better-sqlite3',
      database: file,
      entities: [Pet, PetTag, User, Session],
      enableWAL: true,
      prepareDatabase: (database) => database.pragma('synchronous = FULL'),
    }),
    TypeOrmModule.forFeature([Pet, PetTag, User, Session]),
  ],
  controllers: [PetController, UserController, HealthController],
})
class AppModule {}

void NestFactory.create<NestExpressApplication>(AppModule, { logger: false }).then((app) =>
  app
    .useBodyParser('json', { limit: '1mb' })
    .useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }))
    .listen(process.env.PORT!, '127.0.0.1'),
);
