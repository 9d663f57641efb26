#include "CPhoneFiles.h"

// A new file has its lines here and its name in the list of the header. The compiler looks at the files again when they change.
#define FILE_OF(name) const ostiary_phone_file ostiary_phone_file_##name = {name, sizeof name};

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char demo_css[] = {
#embed "../DemoPage/Assets/demo.css"
};
FILE_OF(demo_css)

static const unsigned char demo_html[] = {
#embed "../DemoPage/Assets/demo.html"
};
FILE_OF(demo_html)

static const unsigned char demo_js[] = {
#embed "../DemoPage/Assets/demo.js"
};
FILE_OF(demo_js)

static const unsigned char protocol_css[] = {
#embed "../DemoPage/Assets/protocol.css"
};
FILE_OF(protocol_css)

static const unsigned char line_js[] = {
#embed "../PhonePage/Assets/line.js"
};
FILE_OF(line_js)

static const unsigned char lists_js[] = {
#embed "../PhonePage/Assets/lists.js"
};
FILE_OF(lists_js)

static const unsigned char pad_js[] = {
#embed "../PhonePage/Assets/pad.js"
};
FILE_OF(pad_js)

static const unsigned char phone_icon_svg[] = {
#embed "../PhonePage/Assets/phone-icon.svg"
};
FILE_OF(phone_icon_svg)

static const unsigned char phone_css[] = {
#embed "../PhonePage/Assets/phone.css"
};
FILE_OF(phone_css)

static const unsigned char phone_html[] = {
#embed "../PhonePage/Assets/phone.html"
};
FILE_OF(phone_html)

static const unsigned char phone_js[] = {
#embed "../PhonePage/Assets/phone.js"
};
FILE_OF(phone_js)

static const unsigned char scan_js[] = {
#embed "../PhonePage/Assets/scan.js"
};
FILE_OF(scan_js)

static const unsigned char screens_js[] = {
#embed "../PhonePage/Assets/screens.js"
};
FILE_OF(screens_js)
